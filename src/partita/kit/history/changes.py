"""Changes of fields: exact, so that the old version and the changes make the new one, and of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from partita.kit.history.words import Piece, sequence_diff, word_diff

Value = str | int | bool | tuple[str, ...] | None
Version = Mapping[str, Value]
"""Field → value, of everything whose changes are recorded."""

MOST_CHANGES = 30
"""The most fields of an entry."""
_MOST_CHARACTERS = 12_000
"""How much text an entry keeps; what does not fit is kept as a change without its text."""
_CONTEXT = 80
"""How much of a long stretch that stays is kept on either side of a change."""


class FieldChange(BaseModel):
    """What became of one field."""

    model_config = ConfigDict(frozen=True)

    name: str
    kind: Literal["text", "list", "number", "flag", "value"]
    """`value` is a text that there was none of before, or is none of after."""
    pieces: tuple[str, ...] = ()
    """Of a text or list: each a mark and what it marks. `=` stays, `-` goes, `+` comes, `~12` skips 12 characters."""
    before: str | None = None
    after: str | None = None
    left_out: bool = False
    """Whether the pieces were too much to keep; `before` and `after` are then the lengths."""

    @property
    def parts(self) -> tuple[Piece, ...]:
        """The pieces apart from their marks."""
        return tuple(Piece(piece[0], piece[1:]) for piece in self.pieces)  # type: ignore[arg-type]


def compare(before: Version, after: Version) -> tuple[FieldChange, ...]:
    """What changed, in the order of the fields; fields that are in one version only have no value in the other."""
    names = dict.fromkeys((*after, *before))
    return tuple(
        _change(name, before.get(name), after.get(name))
        for name in names
        if not _same(before.get(name), after.get(name))
    )


def applied(changes: Iterable[FieldChange], before: Version) -> dict[str, Value]:
    """The version after the changes; they must be whole, and be changes of this version."""
    return {**before, **{change.name: _after(change, before.get(change.name)) for change in changes}}


def bounded(changes: Iterable[FieldChange]) -> tuple[FieldChange, ...]:
    """The changes as they are kept: long stretches that stay are skipped, and what is too much is left out."""
    room = _MOST_CHARACTERS
    kept = []
    for change in list(changes)[:MOST_CHANGES]:
        short = _shortened(change)
        size = sum(map(len, short.pieces)) + len(short.before or "") + len(short.after or "")
        if size > room:
            short = _without_pieces(change)
        else:
            room -= size
        kept.append(short)
    return tuple(kept)


def _same(one: Value, other: Value) -> bool:
    return type(one) is type(other) and one == other


def _change(name: str, before: Value, after: Value) -> FieldChange:
    if isinstance(before, str) and isinstance(after, str):
        return _with_pieces(name, "text", word_diff(before, after))
    if isinstance(after, tuple):
        return _with_pieces(name, "list", sequence_diff(before if isinstance(before, tuple) else (), after))
    given = before if after is None else after
    kind: Literal["flag", "number", "value"] = (
        "flag" if isinstance(given, bool) else "number" if isinstance(given, int) else "value"
    )
    return FieldChange(name=name, kind=kind, before=_spelled(before), after=_spelled(after))


def _with_pieces(name: str, kind: Literal["text", "list"], pieces: Iterable[Piece]) -> FieldChange:
    return FieldChange(name=name, kind=kind, pieces=tuple(mark + text for mark, text in pieces))


def _spelled(value: Value) -> str | None:
    if value is None or isinstance(value, tuple):
        return None if value is None else ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _after(change: FieldChange, before: Value) -> Value:
    if change.left_out:
        raise ValueError(f"The change of {change.name} was too large to keep")
    match change.kind:
        case "text":
            return _text_after(change.parts, str(before))
        case "list":
            return tuple(text for mark, text in change.parts if mark != "-")
        case "flag":
            return None if change.after is None else change.after == "true"
        case "number":
            return None if change.after is None else int(change.after)
        case _:
            return change.after


def _text_after(parts: Iterable[Piece], before: str) -> str:
    after, at = "", 0
    for mark, text in parts:
        length = 0 if mark == "+" else int(text) if mark == "~" else len(text)
        after += text if mark == "+" else "" if mark == "-" else before[at : at + length]
        at += length
    return after


def _shortened(change: FieldChange) -> FieldChange:
    if change.kind != "text":
        return change
    pieces: list[str] = []
    for place, (mark, text) in enumerate(change.parts):
        start = 0 if place == 0 else _CONTEXT
        end = 0 if place == len(change.pieces) - 1 else _CONTEXT
        if mark == "=" and len(text) > start + end + _CONTEXT:
            first, last = text[:start], text[len(text) - end :] if end else ""
            skipped = f"~{len(text) - start - end}"
            pieces += [piece for piece in (f"={first}", skipped, f"={last}") if piece != "="]
        else:
            pieces.append(mark + text)
    return change.model_copy(update={"pieces": tuple(pieces)})


def _without_pieces(change: FieldChange) -> FieldChange:
    def length(without: str) -> str:
        total = sum(int(text) if mark == "~" else len(text) for mark, text in change.parts if mark != without)
        return str(total)

    if change.pieces:
        lengths = {"before": length("+"), "after": length("-")}
    else:
        lengths = {"before": str(len(change.before or "")), "after": str(len(change.after or ""))}
    return change.model_copy(update={"pieces": (), **lengths, "left_out": True})
