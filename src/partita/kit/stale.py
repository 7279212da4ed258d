"""Edits of what somebody else has changed meanwhile: both versions, field by field, to choose from."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2s
from typing import Any, Literal, TypeVar

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from partita.kit.forms import KEEP, MOST_CHOSEN_FROM, STORED, Parsed, parse, save_or_again
from partita.kit.history import Fields, ReadableChange, TimelineEntry, Value, compare
from partita.kit.inputs import LOCKS, StaleEdit
from partita.kit.pages import render

M = TypeVar("M", bound=BaseModel)
Pairs = list[tuple[str, str]]
Typed = Mapping[str, Any]

OPENED = "opened"
"""The hidden field with a digest of every field as the form was opened: it tells who has changed what."""
_ROW = re.compile(r"\.\d+(?:\.|\Z)")
_OURS = {OPENED, *LOCKS, "go"}


@dataclass(frozen=True, slots=True)
class Disputed:
    """A field whose two versions differ."""

    name: str
    change: ReadableChange
    """From what is stored to what was typed."""
    stored: tuple[str, ...]
    typed: tuple[str, ...]
    by: Literal["both", "you", "others"]
    """Who has changed it since the form was opened."""

    @property
    def keep(self) -> Literal["typed", "stored"]:
        """What is chosen at first: what was typed, unless the person left the field as it was."""
        return "stored" if self.by == "others" else "typed"


async def edited(
    request: Request,
    model: type[M],
    save: Callable[[M], Awaitable[Response]],
    again: Callable[[Parsed[M]], Awaitable[Response]],
    stored: Callable[[], Awaitable[Parsed[M]]],
    *,
    fields: Fields,
    back: str,
    last: Callable[[], Awaitable[TimelineEntry | None]] | None = None,
    **reading: Any,
) -> Response:
    """Like `submitted`, for the edit of something that has a revision or a version.

    If it is not the current one, the response (409) shows both versions of every field that differs, and
    saves what the person chooses. `stored` is the form with what is stored now, `last` the latest entry of the history,
    `back` the page to go to without saving. The button “Edit further” shows the form with what was chosen.
    """
    async with request.form(max_fields=MOST_CHOSEN_FROM) as sent:
        pairs = [(name, text) for name, text in sent.multi_items() if isinstance(text, str)]
    form = parse(model, with_choices(pairs), **reading)
    if ("go", "edit") in pairs:
        return await again(replace(form, value=None, errors={}))
    try:
        return await save_or_again(request, form, save, again)
    except StaleEdit as stale:
        current = (await stored()).values
        if form.value is not None and not disputed(fields, form.values, current):
            # Sent twice: what is stored is what was typed.
            return await save(form.value.model_copy(update={stale.field: stale.current}))
        entry = await last() if last else None
        return both_versions(request, stale, form.values, current, fields=fields, back=back, last=entry)


def both_versions(
    request: Request,
    stale: StaleEdit,
    typed: Typed,
    stored: Typed,
    *,
    fields: Fields,
    back: str,
    last: TimelineEntry | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The page (409) with both versions of every field that differs, which sends the form to the same URL again."""
    return render(
        request,
        "stale.html",
        headers=headers,
        refused=stale,
        fields=disputed(fields, typed, stored),
        hidden=_hidden(stale.field, fields, typed, stored),
        last=last,
        back=back,
    )


def opened(values: Typed) -> str:
    """A digest of every field of a form, for the hidden field `opened`."""
    if values.get(OPENED):
        return str(values[OPENED])
    names = dict.fromkeys(field for name in values if name not in _OURS for field in _fields_of(name))
    return ",".join(f"{name}:{_digest(values, name)}" for name in names)


def disputed(fields: Fields, typed: Typed, stored: Typed) -> list[Disputed]:
    """The fields that differ: those first that both have changed."""
    before = dict(entry.partition(":")[::2] for entry in str(typed.get(OPENED, "")).split(",") if entry)
    found = []
    for name in fields.labels:
        if _digest(typed, name) == _digest(stored, name):
            continue
        theirs, mine = _alike(_value(stored, name), _value(typed, name))
        if theirs == mine:
            theirs, mine = _alike(_value(stored, name, named=True), _value(typed, name, named=True))
        (change,) = fields.readable(compare({name: theirs}, {name: mine})) or (None,)
        if change is not None:
            shown = _texts(fields, name, theirs), _texts(fields, name, mine)
            found.append(Disputed(name, change, shown[0], shown[1], _by(before, name, typed, stored)))
    return sorted(found, key=lambda field: ("both", "you", "others").index(field.by))


def _by(before: Mapping[str, str], name: str, typed: Typed, stored: Typed) -> Literal["both", "you", "others"]:
    if not before:
        return "both"
    at_first = before.get(name, _digest({}, name))
    if _digest(typed, name) == at_first:
        return "others"
    return "you" if _digest(stored, name) == at_first else "both"


def _hidden(lock: str, fields: Fields, typed: Typed, stored: Typed) -> Pairs:
    """What the page sends back: what was typed, what is stored, the state it was compared with and the new digests."""
    disputes = {field.name for field in disputed(fields, typed, stored)}
    return [
        (lock, str(stored.get(lock, ""))),
        (OPENED, opened({name: value for name, value in stored.items() if name != OPENED})),
        *_pairs((name, value) for name, value in typed.items() if name not in _OURS),
        *((STORED + name, text) for name, text in _pairs(stored.items()) if not disputes.isdisjoint(_fields_of(name))),
    ]


def with_choices(pairs: Pairs) -> Pairs:
    """What was typed, with what is stored in the fields for which that was chosen."""
    chosen = {name.removeprefix(KEEP) for name, text in pairs if name.startswith(KEEP) and text == "stored"}
    plain = [(name, text) for name, text in pairs if not name.startswith((KEEP, STORED))]
    kept = [(name, text) for name, text in plain if chosen.isdisjoint(_fields_of(name))]
    theirs = [(name.removeprefix(STORED), text) for name, text in pairs if name.startswith(STORED)]
    return [*kept, *((name, text) for name, text in theirs if not chosen.isdisjoint(_fields_of(name)))]


def _fields_of(name: str) -> tuple[str, ...]:
    """The fields that a name of the form may belong to: `links` of `links.0.url`; of a form in parts, where
    `details.links.0.url` is a part of the field `details.links`, that one too."""
    return tuple(dict.fromkeys((name.partition(".")[0], _ROW.split(name, maxsplit=1)[0])))


def _pairs(values: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, str]]:
    for name, value in values:
        for each in value if isinstance(value, list | tuple) else (value,):
            if each is not False:
                yield name, "true" if each is True else str(each)


def _own(values: Typed, name: str) -> Pairs:
    """The field, and the rows that it has."""
    return [pair for pair in _pairs(values.items()) if pair[0] == name or pair[0].startswith(f"{name}.")]


def _digest(values: Typed, name: str) -> str:
    texts = [f"{key}={_compared(text)}" for key, text in _own(values, name) if text.strip()]
    return blake2s("\x1f".join(texts).encode(errors="replace"), digest_size=4).hexdigest()


def _compared(text: str) -> str:
    """A text as two are compared: spaces of one line say nothing, line ends and what is before them make paragraphs."""
    text = text.replace("\r\n", "\n").strip()
    return text if "\n" in text else " ".join(text.split())


def _value(values: Typed, name: str, *, named: bool = False) -> Value:
    """A field to compare: a text, or the entries of a list; a row of several fields is one entry, with their names if
    it takes these to tell two rows apart."""
    value = values.get(name)
    rows: dict[str, list[str]] = {}
    for key, text in _own(values, name):
        if key != name and text.strip():
            row, _, part = key[len(name) + 1 :].partition(".")
            rows.setdefault(row, []).append(f"{part}: {text.strip()}" if named and part else text.strip())
    if rows:
        return tuple(", ".join(texts) for texts in rows.values())
    if isinstance(value, list | tuple):
        return tuple(str(each).strip() for each in value if str(each).strip())
    return "" if value is None or value is False else "yes" if value is True else str(value).strip()


def _alike(one: Value, other: Value) -> tuple[Value, Value]:
    """Two values of one kind: an empty list is an empty text if nothing was sent."""
    if isinstance(one, tuple) != isinstance(other, tuple):
        return tuple(each if isinstance(each, tuple) else (str(each),) if each else () for each in (one, other))  # type: ignore[return-value]
    return one, other


def _texts(fields: Fields, name: str, value: Value) -> tuple[str, ...]:
    choices = fields.choices(name)
    entries = value if isinstance(value, tuple) else (str(value),)
    return tuple(choices.get(each, each) for each in entries if each)
