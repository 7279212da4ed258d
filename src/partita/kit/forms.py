"""Forms: what a browser sent, read as a model; what was typed is kept, and every bad field has its message."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import UnionType
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, SecretBytes, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from starlette.datastructures import ImmutableMultiDict

from partita.kit.messages import field_errors, field_name, matching, message
from partita.kit.problems import Problem

__all__ = ["Parsed", "field_errors", "filled", "matching", "parse"]

M = TypeVar("M", bound=BaseModel)
Form = ImmutableMultiDict[str, Any] | Mapping[str, Any] | Iterable[tuple[str, Any]]
Typed = dict[str, list[str]]
Rows = dict[str, list[int]]
"""List → the numbers of its rows in the form; rows that were left blank are not among them."""
_ABSENT: Any = object()


@dataclass(frozen=True, slots=True)
class Parsed(Generic[M]):
    """A form as it was sent: its value where all is well, what was typed, and what is wrong field by field."""

    value: M | None
    values: dict[str, Any] = field(default_factory=dict, repr=False)
    """Field → text as it was typed (a list where a field repeats), to be shown again. Secrets are left out."""
    errors: dict[str, str] = field(default_factory=dict)
    """Field → what to do about it; `""` is about the form as a whole."""

    def refused(self, problem: Problem) -> Parsed[M]:
        """The form as it is shown after a service has refused what it said."""
        errors = {error.field: error.message for error in problem.errors} or {"": problem.detail}
        return replace(self, value=None, errors={**self.errors, **errors})


def parse(
    model: type[M], form: Form, *, separated: Collection[str] = (), lines: Collection[str] = ()
) -> Parsed[M]:
    """Read a form as a model.

    Dotted names are nested (`submitter.email`, `sources.0.url`), repeated names are lists, and lists named in
    `separated` are typed as one text with commas. Of lists named in `lines` each entry has a field of its own, and its
    error is named by its place (`features.2`). A box that is not ticked is not sent, so an absent flag is false and
    an absent list is empty, unless the model's default is None: then it was not part of the form. Fields the model
    does not have are passed over: buttons have names too.
    """
    typed = _typed(form)
    shape = dict(_leaves(model))
    rows: Rows = {}
    values = {
        name: texts if _is_list(shape.get(_pattern(name))) and name not in separated else texts[-1]
        for name, texts in typed.items()
        if not _is_secret(shape.get(_pattern(name)))
    }
    try:
        return Parsed(model.model_validate(_data(model, typed, "", separated, rows)), values)
    except ValidationError as error:
        return Parsed(None, values, _errors(error, shape, rows, lines))


def filled(value: BaseModel, *, separated: Collection[str] = ()) -> Parsed[Any]:
    """The form that shows what there is, before anybody has typed."""
    values: dict[str, Any] = {}
    shape = dict(_leaves(type(value)))

    def flatten(name: str, inner: Any) -> None:
        if _is_secret(shape.get(_pattern(name))):
            return
        if isinstance(inner, dict):
            for key, each in inner.items():
                flatten(f"{name}.{key}" if name else str(key), each)
        elif isinstance(inner, list) and any(isinstance(each, dict) for each in inner):
            for position, each in enumerate(inner):
                flatten(f"{name}.{position}", each)
        elif isinstance(inner, list):
            texts = [str(each) for each in inner]
            values[name] = ", ".join(texts) if name in separated else texts
        elif inner is not None:
            values[name] = inner if isinstance(inner, bool) else str(inner)

    flatten("", value.model_dump(mode="json", by_alias=True))
    return Parsed(None, values)


def _typed(form: Form) -> Typed:
    """Names and texts; line ends as everywhere but in HTTP. Files are not texts, and their routes read them."""
    if isinstance(form, ImmutableMultiDict):
        pairs: Iterable[tuple[str, Any]] = form.multi_items()
    else:
        pairs = form.items() if isinstance(form, Mapping) else form
    found: Typed = {}
    for name, value in pairs:
        for text in value if isinstance(value, list | tuple) else (value,):
            if isinstance(text, str):
                found.setdefault(name, []).append(text.replace("\r\n", "\n").replace("\r", "\n"))
    return found


def _data(model: type[BaseModel], typed: Typed, prefix: str, separated: Collection[str], rows: Rows) -> dict[str, Any]:
    data = {}
    for name, info in _fields(model):
        value = _field(info, typed, f"{prefix}{name}", separated, rows)
        if value is not _ABSENT:
            data[name] = value
    return data


def _field(info: FieldInfo, typed: Typed, path: str, separated: Collection[str], rows: Rows) -> Any:
    kinds = _kinds(info.annotation)
    optional = type(None) in kinds
    part_of_the_form = info.is_required() or info.default is not None
    inner = _model(kinds)
    if inner is not None:
        if optional and not _any_typed(typed, path):
            return _ABSENT
        return _data(inner, typed, f"{path}.", separated, rows)
    members = _members(kinds)
    if members is not None:
        entry = _model(members)
        if entry is not None:
            rows[path] = _rows(typed, path)
            found: list[Any] = [_data(entry, typed, f"{path}.{row}.", separated, rows) for row in rows[path]]
        else:
            texts = typed.get(path, [])
            if path in separated:
                texts = [piece for text in texts for piece in text.replace("\n", ",").split(",")]
            else:
                rows[path] = [place for place, text in enumerate(texts) if text.strip()]
            found = [text.strip() for text in texts if text.strip()]
        return found if found or path in typed or part_of_the_form else _ABSENT
    texts = typed.get(path, [])
    if not texts:
        return False if bool in kinds and part_of_the_form else _ABSENT
    text = texts[-1]
    if text == "" and (optional or not _takes_empty_text(kinds)):
        return None if optional else _ABSENT
    return text


def _errors(
    error: ValidationError, shape: Mapping[str, FieldInfo], rows: Rows, lines: Collection[str]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for details in error.errors(include_url=False):
        name, said = _name_in_form(field_name(details), rows), message(details)
        if not details["loc"]:
            name = ""  # about the form as a whole
        elif name.rpartition(".")[0] in lines:
            pass
        elif _pattern(name) not in shape and _is_list(shape.get(_pattern(name.rpartition(".")[0]))):
            # One entry of a list: its place in the list is not shown, so the entry itself is.
            name, said = name.rpartition(".")[0], f"“{str(details['input'])[:40]}”: {said}"
        found.setdefault(name, said)
    return found


def _name_in_form(name: str, rows: Rows) -> str:
    """The name with the numbers that the form's rows have, not those of the list that was made of them."""
    typed = ""
    for part in name.split("."):
        known = rows.get(typed)
        shown = str(known[int(part)]) if known and part.isdecimal() else part
        typed = f"{typed}.{shown}" if typed else shown
    return typed


def _leaves(model: type[BaseModel], prefix: str = "", depth: int = 0) -> Iterable[tuple[str, FieldInfo]]:
    """Every field of a form by its dotted name, with `*` for a place in a list."""
    for name, info in _fields(model):
        path = f"{prefix}{name}"
        kinds = _kinds(info.annotation)
        inner, members = _model(kinds), _members(kinds)
        entry = None if members is None else _model(members)
        yield path, info
        if depth < 5:  # a model may hold itself
            if inner is not None:
                yield from _leaves(inner, f"{path}.", depth + 1)
            if entry is not None:
                yield from _leaves(entry, f"{path}.*.", depth + 1)


def _fields(model: type[BaseModel]) -> Iterable[tuple[str, FieldInfo]]:
    for name, info in model.model_fields.items():
        alias = info.validation_alias
        yield (alias if isinstance(alias, str) else name), info


def _kinds(annotation: Any) -> tuple[Any, ...]:
    """The types a field may have, unpacked from Annotated and unions."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _kinds(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return tuple(kind for member in get_args(annotation) for kind in _kinds(member))
    return (annotation,)


def _members(kinds: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """What a list may hold; None where the field is no list."""
    for kind in kinds:
        if get_origin(kind) in (list, tuple, set, frozenset):
            return _kinds(get_args(kind)[0])
    return None


def _model(kinds: tuple[Any, ...]) -> type[BaseModel] | None:
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


def _takes_empty_text(kinds: tuple[Any, ...]) -> bool:
    return any(
        "" in get_args(kind) if get_origin(kind) is Literal else kind is str or _is_text_of_pydantic(kind)
        for kind in kinds
    )


def _is_text_of_pydantic(kind: Any) -> bool:
    return kind in (SecretStr, SecretBytes) or getattr(kind, "__name__", "") in ("EmailStr", "NameEmail")


def _is_list(info: FieldInfo | None) -> bool:
    return info is not None and _members(_kinds(info.annotation)) is not None


def _is_secret(info: FieldInfo | None) -> bool:
    return info is not None and any(kind in (SecretStr, SecretBytes) for kind in _kinds(info.annotation))


def _pattern(name: str) -> str:
    return ".".join("*" if part.isdigit() else part for part in name.split("."))


def _any_typed(typed: Typed, path: str) -> bool:
    return any(name.startswith(f"{path}.") and any(text.strip() for text in texts) for name, texts in typed.items())


def _rows(typed: Typed, path: str) -> list[int]:
    starts = (name[len(path) + 1 :].partition(".")[0] for name in typed if name.startswith(f"{path}."))
    numbers = sorted({int(start) for start in starts if start.isdecimal() and len(start) < 5})
    return [number for number in numbers if _any_typed(typed, f"{path}.{number}")]
