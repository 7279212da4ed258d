"""Resources as the original program writes them: what the document says, and not an attribute more."""

from __future__ import annotations

from typing import Any

from partita.apps.kelifax.examples import DOCUMENTED
from partita.apps.kelifax.schema import RESOURCES, Resource
from partita.apps.kelifax.service.adoption import adoptions
from partita.dynamo import requests
from partita.dynamo.python_values import item_from_python
from partita.kit import adoption
from partita.kit.kit import Kit
from partita.table.effects import Steps

Row = dict[str, Any]
_OPTIONAL = ("searchText", "featured", "viewCount", "lastViewed", "submitterDomain")


def resource(slug: str, status: str = "pending", **others: Any) -> Row:
    """The document's own example, under another slug and address."""
    decided = {"approved": {"approvedAt": "2025-10-26T10:30:00Z"}, "rejected": {"rejectedAt": "2025-10-26T10:30:00Z"}}
    return {
        **DOCUMENTED[Resource],
        "resourceSlug": slug,
        "submissionId": f"submission-of-{slug}",
        "resourceUrl": f"https://{slug}.example.org",
        "resourceStatus": status,
        **decided.get(status, {}),
        **others,
    }


def least(row: Row) -> Row:
    """The same without what the document calls optional."""
    return {name: value for name, value in row.items() if name not in _OPTIONAL}


async def write(kit: Kit, *rows: Row) -> None:
    """Put them into the table, past everything of ours."""
    for row in rows:
        await kit.store.run(_put(row))


async def adopt_all(kit: Kit) -> adoption.Report:
    """Adopt whatever the original wrote, as `partita adopt kelifax` does."""
    return await adoption.adopt_all(kit.store, adoptions(kit.store))


def _put(row: Row) -> Steps[None]:
    yield requests.PutItem(table=RESOURCES.name, item=item_from_python(row))
