"""Kelifax's pages, as a browser without script uses them: what was typed is never lost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

import pytest

from partita.apps.kelifax.formats import split_learning
from partita.apps.kelifax.permissions import MODERATOR
from partita.apps.kelifax.schema import RESOURCES, Resource
from partita.kit.permissions import Viewer
from tests.apps.house import kit_on, person
from tests.apps.kelifax.conftest import submission
from tests.apps.kelifax.served import PASSWORD, Kelifax, Somebody, serve
from tests.web.filled import filled

pytestmark = pytest.mark.anyio
MOD = person("mod", *MODERATOR)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def kelifax(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kelifax]:
    with kit_on(tmp_path_factory.mktemp("pages"), RESOURCES) as kit:
        yield serve(kit)


@pytest.fixture(scope="module")
async def moderator(kelifax: Kelifax) -> Somebody:
    """A moderator in front of a browser."""
    accounts = kelifax.kit.accounts
    made = await accounts.sign_up("moa", "moa@example.org", "Moa", PASSWORD)
    await accounts.set_roles(accounts.operator(), made.user_id, ["kelifax:moderator"])
    browser = kelifax.visitor()
    assert (await browser.post("/sign-in", {"identity": "moa", "password": PASSWORD})).status == 303
    return browser


async def _resource(kelifax: Kelifax, name: str, *, by: Viewer | None = MOD, **changes: object) -> Resource:
    """A resource; approved, unless by nobody."""
    url = f"https://{name.lower().replace(' ', '-')}.example.org"
    made = await kelifax.service.submit(submission(name, url, **changes), name)
    return made if by is None else await kelifax.service.approve(by, made.resource_slug)


def _changed(sent: Iterable[tuple[str, str]], **values: str) -> list[tuple[str, str]]:
    """The form with other values: `learningResources__0__title="…"`."""
    named = {name.replace("__", "."): value for name, value in values.items()}
    found = [(name, named.pop(name, value)) for name, value in sent]
    assert not named, f"no fields {sorted(named)}"
    return found


# ---- editing


async def test_an_edit_that_empties_all_places_to_learn_more_removes_them(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    resource = await _resource(kelifax, "Emptied")
    path = f"/kelifax/moderation/{resource.resource_slug}/edit"
    sent = filled((await moderator.get(path)).text, path)
    assert ("learningResources.0.title", "a|b") in sent
    answer = await moderator.post(path, [(name, "" if name.startswith("learn") else value) for name, value in sent])
    assert (answer.status, answer.location) == (303, f"/kelifax/moderation/{resource.resource_slug}")
    after = await kelifax.service.inspect(resource.resource_slug)
    assert after.learning_resources == ""
    assert (after.tags, after.key_features) == (resource.tags, resource.key_features)


async def test_a_fourth_and_fifth_place_to_learn_more_can_be_added_without_script(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    places = [{"title": f"Place {each}", "url": f"https://{each}.example.org", "type": "video"} for each in range(3)]
    resource = await _resource(kelifax, "Learned", details__learningResources=places)
    path = f"/kelifax/moderation/{resource.resource_slug}/edit"
    page = await moderator.get(path)
    for number in (3, 4):
        assert f'name="learningResources.{number}.title"' not in page.text
        page = await moderator.post(path, [*filled(page.text, path), ("more", "learningResources")])
        assert page.status == 200
        row = {f"learningResources__{number}__title": f"Place {number}", f"learningResources__{number}__type": "course"}
        address = {f"learningResources__{number}__url": f"https://{number}.example.org"}
        page = await moderator.post(path, [*_changed(filled(page.text, path), **row, **address), ("more", "tags")])
    assert 'value="learningResources" formnovalidate data-repeat-more hidden' in page.text, "there is room for five"
    assert (await moderator.post(path, _changed(filled(page.text, path), tags="one, two"))).status == 303
    after = await kelifax.service.inspect(resource.resource_slug)
    assert [each.title for each in split_learning(after.learning_resources)] == [f"Place {each}" for each in range(5)]


async def test_an_edit_that_leaves_out_what_is_needed_is_refused_beside_its_field(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    resource = await _resource(kelifax, "Needed")
    path = f"/kelifax/moderation/{resource.resource_slug}/edit"
    sent = _changed(filled((await moderator.get(path)).text, path), resourceName="", learningResources__0__url="")
    answer = await moderator.post(path, sent)
    assert answer.status == 422
    assert 'id="f-resourceName-error"' in answer.text
    assert 'id="f-learningResources-0-url-error"' in answer.text
    assert filled(answer.text, path) == sent
    assert (await kelifax.service.inspect(resource.resource_slug)).resource_name == "Needed"
