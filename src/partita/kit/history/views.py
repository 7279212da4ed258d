"""Changes of fields over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from partita.kit.views import From, View


class ChangeView(View):
    """What became of a field."""

    field: Annotated[str, From("name")]
    kind: Literal["text", "list", "number", "flag", "value"]
    pieces: list[str] = Field(
        description="Of a text or list, in order: `=` and what stays, `-` and what was removed, `+` and what was added,"
        " `~` and the number of characters that stay and are left out."
    )
    before: str | None = Field(description="The value before, if it is neither a text nor a list.")
    after: str | None = Field(description="The value after.")
    left_out: bool = Field(description="Whether the change was too large to keep; `before` and `after` are lengths.")
