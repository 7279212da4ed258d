"""Licence and price stand beside what the document has: all forms know them, and no other program has to."""

from __future__ import annotations

from itertools import product
from typing import get_args
from xml.etree.ElementTree import fromstring

import pytest

from partita.apps.kelifax import schema
from partita.apps.kelifax.formats import LICENCES, PRICINGS, Licence, Pricing
from partita.apps.kelifax.inputs import EditForm, ResourceEdit, submission_of
from partita.apps.kelifax.schema import RESOURCES, Resource
from partita.apps.kelifax.service import KelifaxService
from partita.dynamo import requests
from partita.dynamo.python_values import item_from_python, item_to_python
from partita.kit.kit import Kit
from partita.table.effects import Steps
from tests.apps.kelifax import original
from tests.apps.kelifax.conftest import MOD, approved, submission
from tests.apps.kelifax.served import serve

pytestmark = pytest.mark.anyio


def _stored(slug: str) -> Steps[dict[str, object]]:
    key = item_from_python({"resourceSlug": slug})
    answer = yield requests.GetItem(table=RESOURCES.name, key=key, consistent=True)
    return item_to_python(answer["Item"])


def test_every_kind_has_a_name() -> None:
    assert set(LICENCES) == set(get_args(Licence))
    assert set(PRICINGS) == set(get_args(Pricing))


async def test_what_was_said_comes_back_from_every_form_and_nothing_is_stored_if_nothing_was(
    kit: Kit, service: KelifaxService
) -> None:
    for number, (licence, pricing) in enumerate(product(("", *LICENCES), ("", *PRICINGS))):
        said = {"resource__licence": licence, "resource__pricing": pricing}
        sent = submission(f"Tool {number}", f"https://{number}.example.org", **said)
        resource = await service.submissions.submit(sent, f"address-{number}")
        again = submission_of(resource).resource
        assert (again.licence, again.pricing) == (licence, pricing)
        assert (EditForm.of(resource).licence, EditForm.of(resource).pricing) == (licence, pricing)
        stored = await kit.store.run(_stored(resource.resource_slug))
        assert {name for name in ("licence", "pricing") if name in stored} == {
            name for name, value in (("licence", licence), ("pricing", pricing)) if value
        }


async def test_moderators_change_and_clear_them_and_the_log_says_so(service: KelifaxService) -> None:
    slug = (await approved(service, resource__licence="proprietary", resource__pricing="paid")).resource_slug
    edited = await service.moderation.edit(MOD, slug, ResourceEdit(licence="open-source", pricing=""))
    assert (edited.licence_name, edited.pricing_name) == ("Open source", "")
    assert (await service.resources.detail(slug)).pricing is None
    last = (await service.moderation.history(slug, 1)).items[0]
    assert set(last.changed) == {"licence", "pricing"}


async def test_lists_are_narrowed_by_them_in_pages_and_api(kit: Kit) -> None:
    kelifax = serve(kit)
    await approved(kelifax.service, "Free Loom", resource__licence="open-source", resource__pricing="free")
    await approved(kelifax.service, "Dear Loom", resource__licence="proprietary", resource__pricing="paid")
    await approved(kelifax.service, "Silent Loom")
    await kelifax.worker.drain()
    visitor = kelifax.visitor()
    for query, names in (
        ("licence=open-source", ["free-loom"]),
        ("pricing=paid", ["dear-loom"]),
        ("licence=open-source&pricing=paid", []),
    ):
        items = (await visitor.api("GET", f"/resources?{query}")).json["items"]
        assert [each["resourceSlug"] for each in items] == names
        page = await visitor.get(f"/kelifax/resources?{query}")
        looms = ("free-loom", "dear-loom", "silent-loom")
        shown = [each for each in looms if f'"/kelifax/resources/{each}"' in page.text]
        assert shown == names
    assert "Open source" in (await visitor.get("/kelifax/resources/free-loom")).shown


async def test_what_another_program_says_there_is_kept_and_shown_nowhere(kit: Kit) -> None:
    foreign = {"licence": "MIT", "pricing": "seven", "stars": 12, "colours": {"a": [1, "b"]}}
    await original.write(kit, original.resource("foreign", "approved", **foreign))
    kelifax = serve(kit)
    await original.adopt_all(kit)
    await kelifax.worker.drain()
    assert (await kelifax.visitor().get("/kelifax/resources/foreign")).status == 200
    await kelifax.service.moderation.edit(MOD, "foreign", ResourceEdit(resource_name="Another name"))
    stored = await kit.store.run(_stored("foreign"))
    assert {name: stored[name] for name in foreign} == foreign, "attributes that nobody here knows survive too"


async def test_what_we_write_is_read_by_the_document_s_program(kit: Kit, service: KelifaxService) -> None:
    resource = await approved(service, resource__licence="open-source")
    stored = await kit.store.run(_stored(resource.resource_slug))
    documented = original.resource("any")
    assert set(documented) <= set(stored)
    assert {name: type(stored[name]) for name in documented} == {
        name: type(value) for name, value in item_to_python(item_from_python(documented)).items()
    }


async def test_a_badge_is_a_drawing_that_may_be_kept_and_names_no_visitor(kit: Kit) -> None:
    kelifax = serve(kit)
    sent = submission("Loom <& Sons>")
    await kelifax.service.submissions.submit(sent, "somewhere")
    await kelifax.service.moderation.approve(MOD, "loom-sons")
    visitor = kelifax.visitor()
    badge = await visitor.get("/kelifax/resources/loom-sons/badge.svg")
    assert badge.headers["content-type"].startswith("image/svg+xml")
    assert "public" in badge.headers["cache-control"]
    assert badge.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "set-cookie" not in badge.headers
    assert "Loom <& Sons> on Kelifax: Listed" in "".join(fromstring(badge.body).itertext())
    known = {"if-none-match": badge.headers["etag"]}
    again = await visitor.ask("GET", "/kelifax/resources/loom-sons/badge.svg", headers=known)
    assert again.status == 304
    assert "/kelifax/resources/loom-sons/badge.svg&#34;" in (await visitor.get("/kelifax/resources/loom-sons")).text
    assert (await visitor.get("/kelifax/resources/nothing/badge.svg")).status == 404


async def test_a_resource_without_views_is_not_viewed_by_its_badge(kit: Kit) -> None:
    kelifax = serve(kit)
    slug = (await approved(kelifax.service)).resource_slug
    await kelifax.visitor().get(f"/kelifax/resources/{slug}/badge.svg")
    await kelifax.service.visits.finish()
    read = await kit.store.get(schema.resource(slug))
    assert isinstance(read, Resource)
    assert (await kelifax.service.resources.detail(slug)).view_count == 0
