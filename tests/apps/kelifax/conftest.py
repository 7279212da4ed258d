from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from partita.apps.kelifax.inputs import Submission
from partita.apps.kelifax.permissions import MODERATOR
from partita.apps.kelifax.schema import RESOURCES, Resource
from partita.apps.kelifax.service import KelifaxService
from partita.kit.kit import Kit
from partita.kit.lists import Match
from partita.table import Page
from tests.apps.house import kit_on, person

MOD = person("mod", *MODERATOR)
"""A moderator."""


def submission(
    name: str = "Amazing Dev Tool", url: str = "https://amazing.example.org", **changes: object
) -> Submission:
    """A good submission; changes are given as `resource__tags=[…]`."""
    form: dict[str, dict[str, object]] = {
        "submitter": {"firstName": "Ada", "lastName": "Lovelace", "companyEmail": "Ada@Engine.example"},
        "resource": {
            "resourceName": name,
            "resourceUrl": url,
            "usagePurpose": "Helps people to write programs.",
            "category": "development",
            "tags": ["compilers", "Analysis"],
        },
        "details": {
            "keyFeatures": ["Writes programs for you", "Finds the bugs as well", "Keeps you company"],
            "useCases": ["Writing programs in general", "Looking at other programs"],
            "learningResources": [{"title": "a|b", "url": "https://learn.example.org", "type": "video"}],
        },
    }
    for path, value in changes.items():
        part, field = path.split("__")
        form[part][field] = value
    return Submission.model_validate(form)


async def approved(service: KelifaxService, name: str = "Amazing Dev Tool", **changes: Any) -> Resource:
    """A resource that somebody submitted and a moderator approved."""
    url = f"https://{name.replace(' ', '')}.example.org"
    resource = await service.submissions.submit(submission(name, url, **changes), name)
    return await service.moderation.approve(MOD, resource.resource_slug)


def slugs_of(page: Page[Match[Resource]]) -> list[str]:
    """The slugs of a list, in its order."""
    return [match.item.resource_slug for match in page]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    with kit_on(tmp_path, RESOURCES) as kit:
        yield kit


@pytest.fixture
def service(kit: Kit) -> KelifaxService:
    return KelifaxService(kit)
