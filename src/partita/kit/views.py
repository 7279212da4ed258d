"""Views: a class for the JSON of a response, which documents it and makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from partita.table import Page

V = TypeVar("V", bound="View")
Json = dict[str, Any]
Make = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class From:
    """Where a field of a view comes from, if not from the attribute of its name: `From("comment.body")`."""

    path: str


class View(BaseModel):
    """The JSON of an object. A field is read from the attribute of its name and written in camelCase; a field that is a
    view itself is made by that view."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    @classmethod
    def of(cls, source: object, **more: Any) -> Json:
        """The JSON of an object; `more` are values that are not its attributes."""
        json: Json = _maker(cls, frozenset(more))(source)
        for name, value in more.items():
            json[_sent_name(cls, name)] = value
        return json

    @classmethod
    def each(cls, sources: Iterable[Any], **more: Make) -> list[Json]:
        """The JSON of several objects. What is no attribute of them is made by a function of each."""
        make = _maker(cls, frozenset(more))
        extras = [(_sent_name(cls, name), make_extra) for name, make_extra in more.items()]
        answers = []
        for source in sources:
            json = make(source)
            for name, make_extra in extras:
                json[name] = make_extra(source)
            answers.append(json)
        return answers


class ListOf(BaseModel, Generic[V]):
    """A page of a list."""

    items: list[V]
    next_cursor: str | None

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """The name in the API's description: `SiteSummaryList`."""
        return f"{params[0].__name__}List"


def listed(view: type[View], page: Page[Any], **more: Make) -> Json:
    """A page of a list as it leaves; its shape is `ListOf[view]`, and `more` is that of `View.each`."""
    return {"items": view.each(page, **more), "next_cursor": page.next_cursor}


def _sent_name(view: type[View], field: str) -> str:
    return view.model_fields[field].serialization_alias or field


@cache
def _maker(view: type[View], given: frozenset[str]) -> Make:
    """The function that makes a view's JSON, compiled like a dict written by hand: lists are long, and a loop over the
    fields takes twice as long. Its source holds nothing but the names of fields and attributes."""
    entries, inner = [], {}
    for name, info in view.model_fields.items():
        if name not in given:
            value = f"source.{_source(name, info)}"
            make = _nested(info.annotation)
            if make is not None:
                inner[name] = make
                value = f"{name}({value})"
            entries.append(f"{_sent_name(view, name)!r}: {value}")
    made: Make = eval(f"lambda source: {{{', '.join(entries)}}}", inner)
    return made


def _source(name: str, info: FieldInfo) -> str:
    return next((each.path for each in info.metadata if isinstance(each, From)), name)


def _nested(annotation: Any) -> Make | None:
    """The function that makes JSON of a field's value, if it is a view, a list of views, or a view or None."""
    if isinstance(annotation, type) and issubclass(annotation, View):
        return annotation.of
    inner = [each for each in get_args(annotation) if isinstance(each, type) and issubclass(each, View)]
    if not inner:
        return None
    if get_origin(annotation) in (list, tuple):
        return inner[0].each
    return lambda value: None if value is None else inner[0].of(value)
