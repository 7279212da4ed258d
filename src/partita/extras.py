"""What installs alone and what comes with an extra: whoever lacks one is told which."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

EXTRAS = {
    "aws": ("boto3", "botocore"),
    "cli": ("rich", "typer"),
    "formats": ("zstandard",),
    "meaning": ("numpy",),
    "suite": (
        "PIL",
        "aiohttp",
        "argon2",
        "cffi",
        "cryptography",
        "docx",
        "email_validator",
        "fastapi",
        "idna",
        "jinja2",
        "joserfc",
        "markdown_it",
        "markupsafe",
        "nh3",
        "prometheus_client",
        "pydantic_settings",
        "pypdfium2",
        "python_multipart",
        "segno",
        "starlette",
        "uvicorn",
        "weasyprint",
        "yarl",
        "zxcvbn",
    ),
}
"""The modules each brings; uvloop is not among them, since everything works without."""


class MissingExtraError(ImportError):
    """Something was asked for that comes with an extra, and the extra is not installed."""

    def __init__(self, what: str, extra: str, instead: str = "") -> None:
        super().__init__(f"{what} {step(extra)}{instead}")
        self.extra = extra


def step(extra: str) -> str:
    """How to get an extra."""
    return f"needs the extra {extra}: {pip(extra)}"


def pip(extra: str) -> str:
    """The command that installs an extra, from where Partita itself came."""
    return f"pip install {quote(f'{_origin()}[{extra}]')}"


def _origin() -> str:
    """The clone or the file that Partita was installed from; its name if it came from an index."""
    # Imported here: only whoever lacks an extra needs them.
    from importlib.metadata import PackageNotFoundError, distribution
    from json import loads
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    clone = Path(__file__).parents[2]
    if (clone / "pyproject.toml").is_file():
        return str(clone)
    try:
        told = distribution("partita").read_text("direct_url.json")
    except PackageNotFoundError:
        told = None
    url = urlsplit(loads(told)["url"] if told else "")
    return url2pathname(url.path) if url.scheme == "file" else "partita"


def extra_of(error: ImportError) -> str | None:
    """The extra that brings the module which was not found, if one does."""
    if isinstance(error, MissingExtraError):
        return error.extra
    top = (error.name or "").partition(".")[0]
    return next((extra for extra, modules in EXTRAS.items() if top in modules), None)
