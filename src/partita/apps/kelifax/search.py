"""What can be found in Kelifax: approved resources, by name first."""

from __future__ import annotations

from partita.apps.kelifax import schema
from partita.apps.kelifax.formats import split_features, split_tags
from partita.apps.kelifax.schema import Resource
from partita.kit.search import Catalog, Document


def _document(resource: Resource) -> Document | None:
    if resource.resource_status != "approved":
        return None
    tags = split_tags(resource.tags)
    return Document(
        id=resource.resource_slug,
        fields={
            "name": resource.resource_name,
            "tags": " ".join(tags),
            "category": resource.category,
            "purpose": resource.usage_purpose,
            "details": " ".join((*split_features(resource.key_features), *split_features(resource.use_cases))),
        },
        filters={"category": resource.category, "tag": tags},
    )


CATALOG = Catalog(
    name="kelifax.resources",
    item_type=Resource,
    document=_document,
    weights={"name": 10.0, "tags": 5.0, "category": 3.0, "purpose": 2.0, "details": 1.0},
    sources=(schema.approved_resources(),),
    filters=("category", "tag"),
)
