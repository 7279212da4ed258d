"""The badge of a resource, for the pages of those who made it: a small drawing that tells nobody who looks at it."""

from __future__ import annotations

from html import escape

from partita.apps.kelifax.schema import Resource
from partita.kit.sharing import absolute

_HEIGHT = 28
_LETTER = 7
"""About how wide a letter of the badge is, in pixels."""
_LABEL = "Kelifax"


def snippet(base_url: str, resource: Resource) -> str:
    """The HTML that shows the badge on another page."""
    page = absolute(base_url, f"/kelifax/resources/{resource.resource_slug}")
    name = escape(f"{resource.resource_name} on {_LABEL}")
    width = _width(_LABEL) + _width(_says(resource))
    return f'<a href="{page}"><img src="{page}/badge.svg" alt="{name}" width="{width}" height="{_HEIGHT}"></a>'


def drawing(resource: Resource) -> str:
    """The badge as SVG."""
    says = _says(resource)
    left, right = _width(_LABEL), _width(says)
    middle = _HEIGHT // 2 + 4
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{_HEIGHT}" role="img"'
        f' font-family="system-ui, sans-serif" font-size="12" font-weight="600" text-anchor="middle">'
        f"<title>{escape(resource.resource_name)} on {_LABEL}: {says}</title>"
        f'<clipPath id="r"><rect width="{left + right}" height="{_HEIGHT}" rx="6"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{_HEIGHT}" fill="#24283b"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="#2f5fd0"/></g>'
        f'<g fill="#fff"><text x="{left / 2}" y="{middle}">{_LABEL}</text>'
        f'<text x="{left + right / 2}" y="{middle}">{says}</text></g></svg>\n'
    )


def _says(resource: Resource) -> str:
    count = resource.upvotes
    if count < 1:
        return "Featured" if resource.featured else "Listed"
    return "1 upvote" if count == 1 else f"{count:,} upvotes"


def _width(text: str) -> int:
    return _LETTER * len(text) + 16
