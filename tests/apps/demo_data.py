"""What the tests of all demo data ask: how a file is read, which URLs are one page, which addresses reach nobody."""

import json
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit


def demo_text(system: str, name: str) -> str:
    """A demo file as it is shipped."""
    return files(f"partita.apps.{system}").joinpath("demo", name).read_text(encoding="utf-8")


def demo_entries(system: str, name: str) -> list[dict[str, Any]]:
    """The entries of a demo file."""
    entries: list[dict[str, Any]] = json.loads(demo_text(system, name))
    return entries


def readable(entries: list[dict[str, Any]]) -> str:
    """How we write demo files: two spaces, letters and not escapes, so that a change reads well as a diff."""
    return json.dumps(entries, ensure_ascii=False, indent=2) + "\n"


def page(url: str) -> tuple[str, str, str]:
    """Two URLs of one page give the same: scheme, case of the host, `www.` and a last slash do not matter."""
    parts = urlsplit(url)
    assert parts.scheme in ("http", "https"), url
    assert parts.hostname, url
    return parts.hostname.removeprefix("www."), parts.path.rstrip("/"), parts.query


def reaches_nobody(email: str) -> bool:
    """The domain is reserved for examples (RFC 2606), so that a demo never writes to a stranger."""
    domain = email.partition("@")[2]
    reserved = ("example.org", "example.com", "example.net")
    return domain in reserved or domain.endswith((".example", *(f".{name}" for name in reserved)))
