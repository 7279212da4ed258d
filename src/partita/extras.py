"""What installs alone and what comes with an extra: whoever lacks one is told which."""

from __future__ import annotations

EXTRAS = {
    "aws": ("boto3", "botocore"),
    "cli": ("rich", "typer"),
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
    """The command that installs an extra."""
    return f"pip install 'partita[{extra}]'"


def extra_of(error: ImportError) -> str | None:
    """The extra that brings the module which was not found, if one does."""
    if isinstance(error, MissingExtraError):
        return error.extra
    top = (error.name or "").partition(".")[0]
    return next((extra for extra, modules in EXTRAS.items() if top in modules), None)
