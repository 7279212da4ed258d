"""Which sort keys of a partition a list holds: those with a prefix, and between bounds of the parts that follow it.

DynamoDB compares whole keys, people compare parts. `at` in `MSG#{at}#{id}` is at most "03" in every key that starts
with `MSG#03#`, whatever follows, and a part may hold characters that come before the `#` after it, so that the order of
keys is not quite the order of their parts. Therefore the condition that is sent may select a few keys too many, never
one too few, and `admits` looks at the parts of each. If no key can be too many, the range is `exact` and nobody looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from enum import Enum
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from partita.dynamo.expressions.tree import BeginsWith, Between, Comparator, Compare, Condition, Path, Value
from partita.dynamo.frozen import dataclass
from partita.dynamo.limits import SORT_KEY_BYTES
from partita.dynamo.values import AttributeValue, order
from partita.dynamo.values import Item as WireItem
from partita.table.errors import KeyPartError
from partita.table.tables import KeyName
from partita.table.template import Part, Template

_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a range: the texts of the parts (or the value) there, and whether it is in the range itself."""

    at: tuple[Any, ...]
    included: bool


@dataclass(frozen=True, slots=True)
class Range:
    """Which values of a sort key are wanted."""

    key: KeyName
    template: Template | None
    """How the key is made of parts; None if it is a number or bytes."""
    prefix: str = ""
    fixed: int = 0
    """How many of the template's parts the prefix holds already."""
    kinds: tuple[Any, ...] = ()
    """The types of the template's parts."""
    low: Bound | None = None
    high: Bound | None = None
    stem: str = ""
    """What keys must start with besides, whatever part it ends in."""

    # -- making it narrower

    def starting_with(self, prefix: str) -> Range:
        """Only keys that start with this text as well."""
        if self.template is None:
            raise KeyPartError(f"{self.key.name} is not text: it has no prefix")
        if not prefix.startswith(self.prefix) and not self.prefix.startswith(prefix):
            raise KeyPartError(f"{prefix!r} does not lie inside {self.prefix!r}, which the query is about")
        if not prefix.startswith(self.stem) and not self.stem.startswith(prefix):
            raise KeyPartError(f"{prefix!r} does not lie inside {self.stem!r}, with which the keys start already")
        return replace(self, stem=max(prefix, self.stem, key=len))

    @property
    def _start(self) -> str:
        return self.stem if len(self.stem) > len(self.prefix) else self.prefix

    def bounded(self, operator: Comparator, at: tuple[Any, ...]) -> Range:
        """Only keys that compare so with these parts."""
        bound = Bound(at, operator in (">=", "<="))
        lower = operator in (">", ">=")
        if (self.low if lower else self.high) is not None:
            raise KeyPartError(f"{self.key.name} has {'a lower' if lower else 'an upper'} bound already")
        narrower = replace(self, low=bound) if lower else replace(self, high=bound)
        narrower._check_order()
        return narrower

    def _check_order(self) -> None:
        if self.low is None or self.high is None:
            return
        length = min(len(self.low.at), len(self.high.at))
        if self._less(self.high.at[:length], self.low.at[:length]):
            raise KeyPartError(
                f"The range of {self.key.name} ends at {self.high.at} before it starts at {self.low.at}: give the "
                "smaller one first"
            )

    def _less(self, left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
        return left < right if self.template is not None else _order(left[0], right[0]) < 0

    @property
    def open_parts(self) -> tuple[Part, ...]:
        """The parts after the prefix, in order."""
        pieces = () if self.template is None else self.template.pieces
        return tuple(piece for piece in pieces if isinstance(piece, Part))[self.fixed :]

    def check_comparable(self, name: str) -> None:
        """Whether text order is the order of a part's values."""
        text = self.template.text if self.template else ""
        for part, kind in zip(self.open_parts, self.kinds[self.fixed :], strict=True):
            if part.field == name and not part.width and not _in_text_order(kind):
                raise KeyPartError(
                    f"{name} is a number, and {text!r} spells it without padding: text "
                    f"order is not number order. Write {{{name}:08}}, or give the index a number(…) as its sort key."
                )

    # -- what is sent

    def condition(self) -> Condition | None:
        """The one condition on the sort key that DynamoDB takes; None for all keys."""
        path = Path((self.key.name,))
        if self.low is None and self.high is None:
            return BeginsWith(path, Value({"S": self._start})) if self._start else None
        low, high = self._ends()
        if low is not None and high is not None:
            if _order(low, high) > 0:
                low = high  # nothing lies between them, and DynamoDB must not be told so
            return Between(path, Value(low), Value(high))
        if low is not None:
            if self.exact and self.low is not None and not self.low.included:
                return Compare(">", path, Value(self._value(self.low)))
            return Compare(">=", path, Value(low))
        if high is not None:
            if self.exact and self.high is not None and not self.high.included:
                return Compare("<", path, Value(self._value(self.high)))
            return Compare("<=", path, Value(high))
        return None

    def _ends(self) -> tuple[AttributeValue | None, AttributeValue | None]:
        if self.low is None and self.high is None:
            return None, None
        if self.template is None:
            return (self.low and self.low.at[0]) or None, (self.high and self.high.at[0]) or None
        start = self._start
        lows = [text for text in (start, self.low and self._lowest(self.low)) if text]
        # No key is empty, and DynamoDB takes no empty text to compare with: before the first there is nothing.
        highest = self.high and (self._highest(self.high) or "\0")
        highs = [text for text in (_after(start), highest) if text]
        return {"S": max(lows)} if lows else None, {"S": min(highs)} if highs else None

    def _value(self, bound: Bound) -> AttributeValue:
        if self.template is None:
            value: AttributeValue = bound.at[0]
            return value
        return {"S": self._text(bound.at)}

    def _text(self, parts: tuple[str, ...]) -> str:
        """The key up to the last of these parts."""
        text = self.prefix
        for position, part in enumerate(parts):
            text += (self._between(position - 1) if position else "") + part
        return text

    def _between(self, position: int) -> str:
        """The fixed text after an open part; nothing after the last."""
        assert self.template is not None
        seen = -1
        for at, piece in enumerate(self.template.pieces):
            if isinstance(piece, Part):
                seen += 1
                if seen == self.fixed + position:
                    after = self.template.pieces[at + 1 : at + 2]
                    return str(after[0]) if after else ""
        return ""

    def _lowest(self, bound: Bound) -> str:
        """No wanted key comes before this text."""
        for position in range(len(bound.at) - 1):
            if not self._ends_alike(position):
                return self._text(bound.at[: position + 1])
        text, last = self._text(bound.at), len(bound.at) - 1
        between = self._between(last)
        if bound.included or (between and not self._ends_alike(last)):
            return text
        if between:
            return _after(text + between) or text
        return text + "\0" if len(text.encode()) < SORT_KEY_BYTES else text

    def _highest(self, bound: Bound) -> str:
        """No wanted key comes after this text."""
        text, last = self._text(bound.at), len(bound.at) - 1
        between = self._between(last)
        highest = text
        if between:
            highest = (_after(text + between) or text + between + _LAST) if bound.included else text + between
        for position, part in enumerate(bound.at):
            between = self._between(position)
            if not between or self._ends_alike(position):
                continue
            head = self._text((*bound.at[:position], ""))
            for length in range(1, len(part)):  # a part that this one starts with is smaller, its key may be greater
                highest = max(highest, _after(head + part[:length] + between) or "")
        return highest

    def _ends_alike(self, position: int) -> bool:
        """Whether no value of a part is the start of another, so that what follows it never changes the order."""
        part, kind = self.open_parts[position], self.kinds[self.fixed + position]
        return bool(part.width) or _prefix_free(kind)

    # -- what is read

    @property
    def exact(self) -> bool:
        """Whether the condition selects exactly the wanted keys."""
        if self.low is None and self.high is None:
            return True
        if self.template is None:
            both = self.low is not None and self.high is not None
            return not both or all(bound.included for bound in (self.low, self.high) if bound is not None)
        low, high = self.low, self.high
        if self._start or any(len(bound.at) > 1 for bound in (low, high) if bound) or self._between(0):
            return False
        if any(not bound.at[0] for bound in (low, high) if bound):
            return False  # an empty text, which is sent as another
        # Two ends are sent with both, and as one value if nothing lies between them; and the key right after a
        # longest one is too long.
        if low is not None and high is not None and not (low.included and high.included):
            return False
        return low is None or low.included or len(self._text(low.at).encode()) < SORT_KEY_BYTES

    def admits(self, row: WireItem) -> bool:
        """Whether a row that the condition selected is wanted."""
        stored = row.get(self.key.name)
        if stored is None:
            return False
        if self.template is None:
            return self._between_values(stored)
        text = stored.get("S", "")
        parsed = self.template.parse(text) if text.startswith(self._start) else None
        if parsed is None:
            return False
        parts = tuple(parsed[part.field] for part in self.open_parts)
        low, high = self.low, self.high
        if low is not None:
            mine = parts[: len(low.at)]
            if mine < low.at or (mine == low.at and not low.included):
                return False
        if high is not None:
            mine = parts[: len(high.at)]
            if mine > high.at or (mine == high.at and not high.included):
                return False
        return True

    def _between_values(self, stored: AttributeValue) -> bool:
        if self.low is not None:
            relation = _order(stored, self.low.at[0])
            if relation < 0 or (relation == 0 and not self.low.included):
                return False
        if self.high is not None:
            relation = _order(stored, self.high.at[0])
            if relation > 0 or (relation == 0 and not self.high.included):
                return False
        return True


def _order(left: AttributeValue, right: AttributeValue) -> int:
    relation = order(left, right)
    assert relation is not None  # both are of the key's type
    return relation


def kinds_of(template: Template, types: Mapping[str, Any]) -> tuple[Any, ...]:
    """The types of a template's parts."""
    return tuple(types[piece.field] for piece in template.pieces if isinstance(piece, Part))


def _after(text: str) -> str | None:
    """The first text after all that start with this one; None if there is none."""
    while text:
        last = text[-1]
        if last != _LAST:
            return text[:-1] + chr(0xE000 if last == "\ud7ff" else ord(last) + 1)
        text = text[:-1]
    return None


def _in_text_order(kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return all(isinstance(choice, str) for choice in get_args(kind))
    if not isinstance(kind, type):
        return False
    if issubclass(kind, Enum):
        return all(isinstance(choice.value, str) for choice in kind)
    return issubclass(kind, (str, bool, bytes, date, datetime, UUID))


def _prefix_free(kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return _no_prefixes([str(choice) for choice in get_args(kind)])
    if not isinstance(kind, type):
        return False
    if issubclass(kind, Enum):
        return _no_prefixes([str(choice.value) for choice in kind])
    return issubclass(kind, (bool, date, datetime, UUID))


def _no_prefixes(texts: list[str]) -> bool:
    return not any(one != other and other.startswith(one) for one in texts for other in texts)
