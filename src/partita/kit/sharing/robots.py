"""`/robots.txt`: which paths are not for robots. It follows from the routes, so that no private one is forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PARAMETER = re.compile(r"\{[^}]*\}")
_NOT_PAGES = ("/api/", "/files/", "/sign-in", "/sign-up", "/metrics")
"""Public, and nothing to find there."""


def robots(private: Iterable[str], public: Iterable[str], sitemap_url: str) -> str:
    """The file, from the paths of routes. What is public and must not be in search engines says so itself (`noindex`),
    which a robot only sees if it may read the page."""
    open_paths = [path for path in public if not path.startswith(_NOT_PAGES)]
    rules: list[str] = []
    for rule in sorted(
        {*_NOT_PAGES, *(_PARAMETER.sub("*", path) for path in private)}, key=lambda each: (len(each), each)
    ):
        if any(covers(known, rule) for known in rules):
            continue
        exact = any(covers(rule, path) for path in open_paths)
        rules.append(f"{rule}$" if exact else rule)
    lines = ["User-agent: *", *(f"Disallow: {rule}" for rule in sorted(rules)), "", f"Sitemap: {sitemap_url}", ""]
    return "\n".join(lines)


def covers(rule: str, path: str) -> bool:
    """Whether a rule forbids a path (RFC 9309): its start, `*` for anything, `$` for the end."""
    pattern = "".join(
        ".*" if part == "*" else "$" if part == "$" else re.escape(part) for part in re.split(r"([*$])", rule)
    )
    return re.match(pattern, path) is not None
