"""What a form takes from the page that was looked at. It remembers what that page said, so that the next one replaces
it; what somebody typed stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partita.apps.fus.inputs import NewSite
from partita.apps.fus.service.sites import Preview
from partita.kit.urls import AddressError, same_page

FROM_PAGE = ("title", "description")
_PREFIX = "said."


def remembered(values: Mapping[str, Any]) -> dict[str, str]:
    """The address and the texts of the page that was looked at last, as hidden fields have sent them."""
    return {name: str(values[_PREFIX + name]) for name in ("url", *FROM_PAGE) if _PREFIX + name in values}


def said_by(preview: Preview) -> dict[str, str]:
    """What the form is to remember of a page."""
    title = "" if preview.note else preview.title
    return {"url": preview.url, "title": title, "description": preview.description}


def filled_in(values: Mapping[str, Any], preview: Preview, *, new: bool) -> dict[str, Any]:
    """The fields of a form after a look at a page; a site that is there keeps its texts if the page has none."""
    before, page = remembered(values), said_by(preview)
    replaced = {name: page[name] for name in FROM_PAGE if _is_open(values.get(name), before.get(name))}
    return {**values, **{name: text for name, text in replaced.items() if text or new}}


def without_other_page(new: NewSite, values: Mapping[str, Any]) -> NewSite:
    """A new site without what another page said: somebody looked at one page, and then typed another address."""
    before = remembered(values)
    try:
        if not before.get("url") or same_page(before["url"]) == same_page(new.url):
            return new
    except AddressError:  # hidden fields can be written by hand
        return new
    return new.model_copy(update={name: "" for name in FROM_PAGE if _is_open(getattr(new, name), before.get(name))})


def _is_open(text: Any, said: str | None) -> bool:
    """Whether nobody typed a text: it is empty, or what a page said. Browsers send other line ends."""
    return not text or (said is not None and str(text).split() == said.split())
