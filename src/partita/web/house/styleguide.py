"""Every component of the design system on one page, for development and tests; not served in production."""

from __future__ import annotations

from fastapi import Request
from pydantic import BaseModel, EmailStr, Field
from starlette.responses import Response

from partita.kit.forms import parse
from partita.kit.pages import render
from partita.kit.permissions import Access
from partita.kit.routes import Routes

_THINGS = (
    *("Open Street Cam", "Figma", "Plausible Analytics", "Blender", "Kagi", "Old Maps Online", "Penpot", "Zotero"),
    *("Hacker News", "Letterboxd", "Our World in Data", "Are.na", "Excalidraw", "The Marginalian", "Wikipedia"),
    *("Standard Ebooks", "Obsidian", "Regex Crossword", "Tldraw", "Khan Academy"),
)
_PEOPLE = (
    *("Ada Lovelace", "Grace Hopper", "Katherine Johnson", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov"),
    *("Donald Knuth", "Radia Perlman", "Tim Berners-Lee", "Annie Easley", "村上 春樹", "Ḥasan ibn al-Haytham"),
)


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
        ]
        return render(
            request,
            "styleguide.html",
            wrong_form=parse(_Sample, typed),
            sample_days=_days,
            face_names=_THINGS,
            people_names=_PEOPLE,
        )

    return routes


def _days() -> list[tuple[str, float]]:
    return [(f"{1 + place} Jan", 900 + 37 * place + (place * 7919) % 410) for place in range(30)]
