"""Whether a row mentions somebody, and the same row without them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import orjson

from partita.dynamo.values import AttributeValue
from partita.dynamo.values import Item as Row
from partita.kit.personal_data.holdings import LEFT, Holding, Person, whole_word

Change = Callable[[str], str]


def may_concern(row: Row, person: Person) -> bool:
    """Whether a row may be about the person; of most rows this says at once that they are not."""
    text = orjson.dumps(dict(row)).decode().casefold()
    return any(mark in text for mark in person.marks)


def mentions(row: Row, person: Person, holding: Holding | None) -> bool:
    """Whether a row holds the person's id anywhere, or what they are called where names are."""
    return bool(mentioned_in(row, person, holding))


def mentioned_in(row: Row, person: Person, holding: Holding | None) -> tuple[str, ...]:
    """The attributes of a row that mention the person."""
    called = _called(row, person, holding)
    return tuple(name for name, value in row.items() if _without(name, value, person, holding, called) != value)


def unnamed(row: Row, person: Person, holding: Holding | None, *, own: bool) -> Row:
    """The row without the person; of their own, also without what is to be blank then."""
    called = _called(row, person, holding)
    blank = frozenset() if holding is None or not own else _stored(holding, holding.blank)
    return {
        name: {"S": ""} if name in blank and "S" in value else _without(name, value, person, holding, called)
        for name, value in row.items()
    }


def _called(row: Row, person: Person, holding: Holding | None) -> frozenset[str]:
    """What means the person where names are. Usernames and addresses are nobody else's, but a word may be the same: it
    counts where usernames stand, and in rows that have the id. So does the name, which others may have too."""
    if holding is None or _has_id(row, person):
        return person.called
    username = {person.username} if not holding.ids or set(holding.names) & set(holding.also) else set[str]()
    return person.addresses | {each.casefold() for each in username}


def _has_id(row: Row, person: Person) -> bool:
    whole_id = whole_word(person.user_id)
    return any(whole_id.search(text) for value in row.values() for text in strings(value))


def _without(
    name: str, value: AttributeValue, person: Person, holding: Holding | None, called: frozenset[str]
) -> AttributeValue:
    """The value of an attribute without the person."""
    whole_id = whole_word(person.user_id)

    def change(text: str) -> str:
        return whole_id.sub(person.stand_in, text)

    if holding is None:
        return _changed(value, change)
    if name in _stored(holding, holding.names):
        return _changed(value, lambda text: LEFT if text.casefold() in called else change(text))

    def rewritten(text: str) -> str:
        return change(person.in_texts.sub(LEFT, text))

    if name in _stored(holding, holding.texts):
        return _changed(value, rewritten)
    if name in _stored(holding, holding.documents):

        def called_or_rewritten(text: str) -> str:
            return LEFT if text.casefold() in called else rewritten(text)

        return _changed(value, lambda text: change(_in_document(text, called_or_rewritten)))
    return _changed(value, change)


def _in_document(text: str, change: Change) -> str:
    """A JSON text with other texts in it."""
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError:
        return change(text)

    def changed(value: Any) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, list):
            return [changed(each) for each in value]
        if isinstance(value, dict):
            return {name: changed(each) for name, each in value.items()}
        return value

    after = changed(document)
    return text if after == document else orjson.dumps(after).decode()


def strings(value: AttributeValue) -> Iterator[str]:
    """Every text within a stored value, also those that name the entries of a map."""
    for kind, content in value.items():
        if kind == "S":
            yield content
        elif kind == "SS":
            yield from content
        elif kind == "L":
            for each in content:
                yield from strings(each)
        elif kind == "M":
            for name, each in content.items():
                yield name
                yield from strings(each)


def _stored(holding: Holding, fields: tuple[str, ...]) -> frozenset[str]:
    attributes = holding.item_type.__attributes__
    return frozenset(attributes[field].stored_name or field for field in fields)


def _changed(value: AttributeValue, change: Change) -> AttributeValue:
    (kind, content), *_ = value.items()
    if kind == "S":
        return {"S": change(content)}
    if kind == "SS":
        return {"SS": list(dict.fromkeys(change(each) for each in content))}
    if kind == "L":
        return {"L": [_changed(each, change) for each in content]}
    if kind == "M":
        return {"M": {change(name): _changed(each, change) for name, each in content.items()}}
    return value
