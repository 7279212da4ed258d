"""The form of a site takes what a page says, and never what another page said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from partita.apps.fus.inputs import NewSite
from partita.apps.fus.service.previews import filled_in, said_by, without_other_page
from partita.apps.fus.service.sites import Preview

ONE = Preview("https://one.example.org", "One", "About\none")
TWO = Preview("https://two.example.org", "Two", "")
UNREAD = Preview("https://three.example.org", "three.example.org", note="It did not answer.")
_PAGES = st.builds(
    Preview,
    st.just("https://page.example.org"),
    st.text(max_size=5),
    st.text(max_size=5),
    note=st.sampled_from([None, "No."]),
)
_TYPED = st.text("abc", min_size=1, max_size=3)


def sent(values: dict[str, str], page: Preview) -> dict[str, str]:
    """What a browser sends of the form that is shown after a look at a page."""
    shown = {**values, **{f"said.{name}": text for name, text in said_by(page).items()}}
    return {name: text.replace("\n", "\r\n") for name, text in shown.items()}


def test_a_second_page_replaces_what_the_first_one_said() -> None:
    first = filled_in({"url": ONE.url}, ONE, new=True)
    assert (first["title"], first["description"]) == ("One", "About\none")
    second = filled_in(sent(first, ONE), TWO, new=True)
    assert (second["title"], second["description"]) == ("Two", "")
    third = filled_in(sent(second, TWO), UNREAD, new=True)
    assert third["title"] == ""


@given(st.lists(_PAGES, min_size=1, max_size=4), _TYPED, st.booleans())
def test_what_somebody_typed_stays_whatever_pages_say(pages: list[Preview], typed: str, new: bool) -> None:
    values = {"title": typed, "description": ""}
    for page in pages:
        values = sent(filled_in(values, page, new=new), page)
        if page.title == typed:
            return  # then nobody can tell
        assert values["title"] == typed


def test_a_site_that_is_there_keeps_its_description_if_the_page_has_none() -> None:
    first = filled_in({"title": "Mine", "description": ""}, ONE, new=False)
    assert filled_in(sent(first, ONE), TWO, new=False)["description"] == ONE.description.replace("\n", "\r\n")


def test_an_address_typed_after_a_look_gets_the_title_of_its_own_page() -> None:
    values = sent({}, ONE)
    new = NewSite(url=TWO.url, title="One", description="Typed")
    assert without_other_page(new, values) == NewSite(url=TWO.url, description="Typed")
    same = NewSite(url="http://www.one.example.org", title="One")
    assert without_other_page(same, values) == same
    assert without_other_page(new, {**values, "said.url": "nonsense"}) == new
