"""A resource as files have it: the document's names and formats in CSV, lists in JSON, a line in Markdown."""

from __future__ import annotations

import orjson

from partita.apps.kelifax.schema import Resource
from partita.kit.spreadsheets import line

COLUMNS = (
    *("resourceName", "resourceUrl", "usagePurpose", "category", "tags", "licence", "pricing"),
    *("keyFeatures", "useCases", "learningResources"),
)
_MARKDOWN = str.maketrans({sign: f"\\{sign}" for sign in "\\[]*_`<>"})


def csv_line(resource: Resource) -> str:
    """A line of a spreadsheet, with lists as the document joins them."""
    return line(
        (
            resource.resource_name,
            resource.resource_url,
            resource.usage_purpose,
            resource.category,
            ",".join(resource.tag_list),
            resource.licence or "",
            resource.pricing or "",
            resource.key_features,
            resource.use_cases,
            resource.learning_resources,
        )
    )


def json_object(resource: Resource) -> bytes:
    """An object with the names of the API."""
    return orjson.dumps(
        {
            "resourceName": resource.resource_name,
            "resourceUrl": resource.resource_url,
            "usagePurpose": resource.usage_purpose,
            "category": resource.category,
            "tags": list(resource.tag_list),
            "licence": resource.licence or "",
            "pricing": resource.pricing or "",
            "keyFeatures": list(resource.feature_list),
            "useCases": list(resource.use_case_list),
            "learningResources": [each.model_dump() for each in resource.learning_list],
        }
    )


def markdown_line(resource: Resource) -> str:
    """An entry of a list, on one line."""
    purpose = " ".join(resource.usage_purpose.split()).translate(_MARKDOWN)
    url = resource.resource_url.replace("(", "%28").replace(")", "%29")
    return f"- [{resource.resource_name.translate(_MARKDOWN)}]({url}) - {purpose}\n"
