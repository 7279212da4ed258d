"""What somebody takes with them is all of theirs and nothing of others, and links from elsewhere only fill in forms."""

from __future__ import annotations

import csv
import io
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.apps.fus.inputs import CollectionInput, CommentInput, NewComment, NewSuggestion, RatingInput
from partita.apps.fus.pages.sharing import shared_link
from partita.apps.fus.schema import FUS
from partita.apps.fus.service import FusService
from partita.apps.fus.service.transfer.bookmarks import bookmarks
from partita.apps.fus.service.transfer.rows import Format
from partita.kit.permissions import Viewer
from tests.apps.fus.conftest import manager, member, put
from tests.apps.house import kit_on

pytestmark = pytest.mark.anyio
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20).filter(lambda text: text.strip() == text)


async def exported(service: FusService, viewer: Viewer, format: Format) -> bytes:
    return b"".join([piece async for piece in service.my_data.export(viewer, format)])


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(1, 5), TEXT, st.booleans()), max_size=5), st.booleans())
async def test_everything_of_mine_is_in_my_file_and_nothing_of_others(
    tmp_path_factory: pytest.TempPathFactory, rated: list[tuple[int, str, bool]], deleted: bool
) -> None:
    with kit_on(tmp_path_factory.mktemp("mine"), FUS) as kit:
        service, me, other = FusService(kit), member(), member()
        sites = [await put(service, f"=Site {number}") for number in range(len(rated))]
        answered: list[str] = []
        mine = await service.collections.create(me, CollectionInput(name="<Mine> & more"))
        for site, (stars, note, collected) in zip(sites, rated, strict=True):
            await service.ratings.rate(me, site.site_id, RatingInput(stars=stars, note=note))
            await service.ratings.rate(other, site.site_id, RatingInput(stars=1, note="of another"))
            theirs = await service.comments.write(other, site.site_id, CommentInput(body="of another"))
            answered.append(theirs.comment.name)
            reply = NewComment(body=f"about {stars}", reply_to=theirs.comment.name)
            await service.comments.write(me, site.site_id, reply)
            if collected:
                await service.collections.add(me, mine.collection_id, site.site_id)
        await service.suggestions.suggest(me, NewSuggestion(url="https://new.example.org"))
        if deleted and sites:
            await service.sites.delete(manager(), sites[0].site_id)
        data: dict[str, Any] = orjson.loads(await exported(service, me, "json"))
        assert "of another" not in str(data)
        assert sorted((each["stars"], each["note"]) for each in data["ratings"]) == sorted(
            (stars, note) for stars, note, _ in rated
        )
        assert sorted(each["replyTo"] for each in data["comments"]) == sorted(answered)
        assert [each["url"] for each in data["suggestions"]] == ["https://new.example.org"]
        (collection,) = data["collections"]
        kept = [each for each, (_, _, collected) in zip(sites, rated, strict=True) if collected]
        assert [each["siteId"] for each in collection["sites"]] == [each.site_id for each in reversed(kept)]
        rows = list(csv.DictReader(io.StringIO((await exported(service, me, "csv")).decode())))
        assert len(rows) == 2 * len(rated) + len(kept) + 1
        assert all(cell[:1] not in "=+-@\t" for row in rows for cell in row.values() if cell)
        links = [row.fields["url"] for row in bookmarks(await exported(service, me, "html"), folders_as_tags=False)]
        there = [site.url for site in [*sites, *kept] if not (deleted and site is sites[0])]
        assert sorted(links) == sorted(there)


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
@settings(max_examples=40, deadline=None)
def test_whatever_is_shared_becomes_short_plain_fields(url: str, title: str, text: str) -> None:
    found = shared_link(url, title, text)
    assert set(found) <= {"url", "title", "description"}
    assert all(value == " ".join(value.split()) and value for value in found.values())


def test_an_address_is_found_in_the_words_that_a_phone_sends() -> None:
    assert shared_link("", "", "Look at this: https://maps.example.org/a?b=1 it is good") == {
        "url": "https://maps.example.org/a?b=1",
        "description": "Look at this: it is good",
    }
    assert shared_link("https://a.example", "Title", "https://b.example") == {
        "url": "https://a.example",
        "title": "Title",
        "description": "https://b.example",
    }
    assert shared_link("", "No link", "") == {"title": "No link"}


def test_a_long_page_is_cut() -> None:
    assert {name: len(value) for name, value in shared_link("u" * 9000, "t" * 9000, "x" * 9000).items()} == {
        "url": 2000,
        "title": 300,
        "description": 1500,
    }
