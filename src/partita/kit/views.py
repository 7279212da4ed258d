"""Views: a class for the JSON of a response, which documents it and makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
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
            json[to_camel(name)] = value
        return json

    @classmethod
    def each(cls, sources: Iterable[Any], **more: Make) -> list[Json]:
        """The answers for several objects. What is no attribute of them is made by a function of each."""
        if not more:
            return [cls.of(source) for source in sources]
        return [cls.of(source, **{name: make(source) for name, make in more.items()}) for source in sources]


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


@cache
def _maker(view: type[View], given: frozenset[str]) -> Make:
    """The function that makes a view's JSON; it reads all attributes in one call, since lists are long."""
    fields = {name: info for name, info in view.model_fields.items() if name not in given}
    names = [info.serialization_alias or name for name, info in fields.items()]
    read = _reader([_source(name, info) for name, info in fields.items()])
    nested = [
        (info.serialization_alias or name, inner)
        for name, info in fields.items()
        if (inner := _nested(info.annotation)) is not None
    ]

    def make(source: Any) -> Json:
        json = dict(zip(names, read(source), strict=True))
        for name, make_inner in nested:
            json[name] = make_inner(json[name])
        return json

    return make


def _reader(paths: list[str]) -> Callable[[Any], Iterable[Any]]:
    if not paths:
        return lambda _source: ()
    read = attrgetter(*paths)
    return read if len(paths) > 1 else lambda source: (read(source),)


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
