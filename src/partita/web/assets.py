"""Static files: read once, with a version in the URL, cached by browsers for a year."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from partita.kit.problems import NotFound

_OURS = Path(__file__).parent / "static"
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_VENDORS = {"vendor/htmx.min.js": "htmx.org/dist/htmx.min.js"}
"""Files of npm packages: name here → path in node_modules."""
_STYLES = "app.css"
_NO_FOLDERS: Mapping[str, Path] = {}
_FOR_A_YEAR = "public, max-age=31536000, immutable"
_ASK_AGAIN = "public, max-age=0, must-revalidate"


@dataclass(frozen=True, slots=True)
class Asset:
    """One file."""

    content: bytes
    compressed: bytes
    type: str
    version: str


class Assets:
    """All static files, by name."""

    def __init__(
        self,
        packages: tuple[Path, ...] | None = None,
        hues: Mapping[str, int] | None = None,
        folders: Mapping[str, Path] = _NO_FOLDERS,
    ) -> None:
        """`folders` are those of the systems, by their names; their files are named `<system>/…`."""
        places = _files(_OURS)
        for system, folder in folders.items():
            places.update({f"{system}/{name}": file for name, file in _files(folder).items()})
        for folder in reversed(_packages() if packages is None else packages):
            places.update({name: folder / inside for name, inside in _VENDORS.items() if (folder / inside).is_file()})
        contents = {name: file.read_bytes() for name, file in places.items()}
        contents[_STYLES] += _with_hues(hues or {})
        self._assets = {name: _asset(name, content) for name, content in contents.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._assets

    def text(self, name: str) -> str:
        """The content of a file."""
        return self._assets[name].content.decode()

    def url(self, name: str) -> str:
        """The URL of a file, with a version that changes with the content."""
        return f"/static/{name}?v={self._assets[name].version}"

    def of_system(self, name: str, suffix: str) -> str:
        """The URL of the stylesheet (`.css`) or script (`.js`) of a system; empty if it has none."""
        file = f"{name}/{name}{suffix}"
        return self.url(file) if file in self._assets else ""

    async def serve(self, request: Request, name: str) -> Response:
        """The response with a file; cached for a year if the URL has its version."""
        asset = self._assets.get(name)
        if asset is None:
            raise NotFound(f"There is no file {name}.")
        tag = f'"{asset.version}"'
        headers = {
            "Cache-Control": _FOR_A_YEAR if request.query_params.get("v") == asset.version else _ASK_AGAIN,
            "ETag": tag,
            "Vary": "Accept-Encoding",
        }
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(asset.compressed, media_type=asset.type, headers={**headers, "Content-Encoding": "gzip"})
        return Response(asset.content, media_type=asset.type, headers=headers)


def _files(folder: Path) -> dict[str, Path]:
    """The static files in a folder, by their paths in it."""
    return {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.suffix in _TYPES}


def _asset(name: str, content: bytes) -> Asset:
    return Asset(
        content,
        gzip.compress(content, 9, mtime=0),
        _TYPES[Path(name).suffix],
        sha256(content).hexdigest()[:16],
    )


def _with_hues(hues: Mapping[str, int]) -> bytes:
    """The accent colours of the systems; inline styles are not allowed."""
    return "".join(f".hue-{name} {{ --hue: {hue}; }}\n" for name, hue in hues.items()).encode()


def _packages() -> tuple[Path, ...]:
    """The folders of npm packages: beside the code, or in the current folder."""
    return (Path(__file__).parents[3] / "node_modules", Path.cwd() / "node_modules")
