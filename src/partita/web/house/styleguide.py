"""Every component of the design system on one page, for development and tests; not served in production."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request
from pydantic import BaseModel, EmailStr, Field
from starlette.responses import Response

from partita.kit.desks import Desk
from partita.kit.forms import parse
from partita.kit.history import Field as RecordedField
from partita.kit.history import Fields
from partita.kit.history.changes import Value
from partita.kit.pages import render
from partita.kit.permissions import Access
from partita.kit.routes import Routes
from partita.kit.search import FacetValue
from partita.table import Page

_THINGS = (
    *("Open Street Cam", "Figma", "Plausible Analytics", "Blender", "Kagi", "Old Maps Online", "Penpot", "Zotero"),
    *("Hacker News", "Letterboxd", "Our World in Data", "Are.na", "Excalidraw", "The Marginalian", "Wikipedia"),
    *("Standard Ebooks", "Obsidian", "Regex Crossword", "Tldraw", "Khan Academy"),
)
_PEOPLE = (
    *("Ada Lovelace", "Grace Hopper", "Katherine Johnson", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov"),
    *("Donald Knuth", "Radia Perlman", "Tim Berners-Lee", "Annie Easley", "村上 春樹", "Ḥasan ibn al-Haytham"),
)


_WAITING = ("Loom Notes", "Knot Atlas", "Nanosecond Wires")


@dataclass(frozen=True, slots=True)
class _Happened:
    """An entry of a timeline."""

    at: str
    who: str
    what: str
    thing: str
    why: str


_HAPPENED = (
    _Happened("2026-11-16T10:30:00Z", "ada", "Approved", "Knot Atlas", "Every knot, with a picture of each step."),
    _Happened("2026-11-16T09:12:00Z", "grace", "Featured", "Loom Notes", "It is the best of its kind."),
    _Happened("2026-11-09T16:45:00Z", "ada", "Approved", "Nanosecond Wires", "Short, and to the point."),
)


_FACETS = (FacetValue("design", 41, chosen=True), FacetValue("learning", 1280), FacetValue("ai", 7))
_FIELDS = Fields(
    RecordedField("name", "Name", "name"),
    RecordedField("about", "About", "about"),
    RecordedField("tags", "Tags", "tags"),
)
_BEFORE: dict[str, Value] = {"name": "Knot Altas", "about": "Every knot, with a picture.", "tags": ("knots",)}
_AFTER: dict[str, Value] = {
    "name": "Knot Atlas",
    "about": "Every knot, with a picture of each step.",
    "tags": ("knots", "ropes"),
}


class _Sample(BaseModel):
    name: str = Field(min_length=3, max_length=60)
    email: EmailStr
    about: str = Field(default="", max_length=200)
    kind: str = "movie"
    audience: list[str] = []
    features: list[str] = Field(min_length=3)
    public: bool = False
    stars: int = Field(ge=1, le=5)
    price: float = 0


def routes() -> Routes:
    """One page."""
    routes = Routes("", tag="house", pages=True)

    @routes.get("/_styleguide", Access.PUBLIC)
    async def styleguide(request: Request) -> Response:
        typed = [
            ("name", "Da"),
            ("email", "ada@"),
            ("about", "A form keeps what was typed, also if a field is wrong."),
            ("audience", "researchers"),
            ("features", "Runs on a laptop"),
            ("features", "Speaks DynamoDB"),
            ("public", "true"),
            ("stars", "4"),
            ("revision", "3"),
            ("links.0.title", "A book of knots"),
        ]
        return render(
            request,
            "styleguide.html",
            wrong_form=parse(_Sample, typed),
            sample_days=_days,
            sample_dates=_dates,
            desk=Desk.of("/_styleguide", Page(_WAITING, None), str, at=_WAITING[1]),
            happened=_HAPPENED,
            facets=_FACETS,
            differences=_FIELDS.differences(_BEFORE, _AFTER),
            face_names=_THINGS,
            people_names=_PEOPLE,
        )

    return routes


def _dates() -> dict[str, int]:
    """Three weeks in which not every day had something."""
    return {"2026-10-27": 1, "2026-10-30": 3, "2026-11-02": 7, "2026-11-03": 4, "2026-11-09": 12, "2026-11-16": 2}


def _days() -> list[tuple[str, float]]:
    return [(f"{1 + place} Jan", 900 + 37 * place + (place * 7919) % 410) for place in range(30)]
