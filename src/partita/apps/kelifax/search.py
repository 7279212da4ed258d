"""What can be searched in Kelifax: approved resources; matches in their names come first."""

from __future__ import annotations

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import Resource
from partita.kit.search import Catalog, Document


def _document(resource: Resource) -> Document | None:
    if not resource.is_approved:
        return None
    return Document(
        id=resource.resource_slug,
        fields={
            "name": resource.resource_name,
            "tags": " ".join(resource.tag_list),
            "category": resource.category,
            "purpose": resource.usage_purpose,
            "details": " ".join((*resource.feature_list, *resource.use_case_list)),
        },
        filters={
            "category": resource.category,
            "tag": resource.tag_list,
            "licence": resource.licence if resource.licence and resource.licence_name else (),
            "pricing": resource.pricing if resource.pricing and resource.pricing_name else (),
        },
        sorts={
            "created_at": resource.created_at,
            "public_since": resource.public_since,
            "views": resource.view_count,
            "name": resource.resource_name,
        },
    )


CATALOG = Catalog(
    name="kelifax.resources",
    title="resources of Kelifax",
    item_type=Resource,
    document=_document,
    weights={"name": 10.0, "tags": 5.0, "category": 3.0, "purpose": 2.0, "details": 1.0},
    sources=(schema.approved_resources(),),
    filters=("category", "tag", "licence", "pricing"),
    sorts=("created_at", "public_since", "views", "name"),
    order="-created_at",
)
