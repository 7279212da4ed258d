"""Forms, parsed into a model; an invalid one keeps what was typed and has a message for every bad field."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import UnionType
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, SecretBytes, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request
from starlette.responses import Response

from partita.kit.inputs import LOCKS, StaleEdit
from partita.kit.messages import field_name, message
from partita.kit.permissions import ConfirmationRequired
from partita.kit.problems import FieldError, Invalid, NotFound, Problem
from partita.kit.refusals import TablesBroken, refusal_of

M = TypeVar("M", bound=BaseModel)
Form = ImmutableMultiDict[str, Any] | Mapping[str, Any] | Iterable[tuple[str, Any]]
Typed = dict[str, list[str]]
Rows = dict[str, list[int]]
"""List → the numbers of its rows in the form; rows that were left blank are not among them."""
_ABSENT: Any = object()
MOST_FIELDS = 200
"""The most fields that any form of ours has."""
KEEP, STORED = "keep:", "stored:"
"""Before the name of a field, on the page with both versions of an edit: which was chosen, and what is stored."""
MOST_CHOSEN_FROM = 3 * MOST_FIELDS
"""The most fields of such a page: both versions, and a choice for each."""


@dataclass(frozen=True, slots=True)
class Parsed(Generic[M]):
    """A submitted form: the model if it is valid, what was typed, and the error of each field."""

    value: M | None
    values: dict[str, Any] = field(default_factory=dict, repr=False)
    """Field → text as it was typed (a list if a field repeats), to be shown again. Secrets are left out."""
    errors: dict[str, str] = field(default_factory=dict)
    """Field → what to do about it; `""` is about the form as a whole."""
    refusal: Problem | None = field(default=None, compare=False)
    """Why a service refused what was typed; its status is that of the page which shows the form again."""
    labels: dict[str, str] = field(default_factory=dict, init=False, compare=False, repr=False)
    """Field → its label on the page, recorded as the page is rendered; a changed copy of the form has its own."""

    @property
    def problem(self) -> Problem | None:
        """What is wrong with the form as a whole; None if it is valid or was not sent."""
        if self.refusal is not None or not self.errors:
            return self.refusal
        return Invalid(*(FieldError(name, message) for name, message in self.errors.items()))

    def refused(self, problem: Problem) -> Parsed[M]:
        """The form as it is shown after a service has refused what was typed."""
        # What an edit was made from is a hidden field: a conflict about it concerns the form as a whole.
        errors = {error.field if error.field not in LOCKS else "": error.message for error in problem.errors}
        errors = errors or {"": problem.detail}
        return replace(self, value=None, errors={**self.errors, **errors}, refusal=problem)


async def submitted(
    request: Request,
    model: type[M],
    save: Callable[[M], Awaitable[Response]],
    again: Callable[[Parsed[M]], Awaitable[Response]],
    **reading: Any,
) -> Response:
    """Read a form and save it; show it again, with what was typed, if the form is invalid or a service refuses it.

    `NotFound` is raised: there is nothing to show the form for.
    """
    async with request.form(max_fields=MOST_FIELDS) as sent:
        form = parse(model, sent, **reading)
    try:
        return await save_or_again(request, form, save, again)
    except StaleEdit as stale:
        return await again(form.refused(stale))


async def save_or_again(
    request: Request,
    form: Parsed[M],
    save: Callable[[M], Awaitable[Response]],
    again: Callable[[Parsed[M]], Awaitable[Response]],
) -> Response:
    """Save a form that was read, or show it again. `NotFound`, an edit of an old revision, and
    `ConfirmationRequired`, after which the form is shown again, are raised."""
    if is_restored(request):
        return await again(replace(form, value=None, errors={}))
    if form.value is None:
        return await again(form)
    try:
        return await save(form.value)
    except (NotFound, StaleEdit, ConfirmationRequired):
        raise
    except Exception as error:
        problem = refusal_of(error)
        if problem is None:
            raise
        if isinstance(problem, TablesBroken):
            problem = _still_here(problem, request)
        return await again(form.refused(problem))


def _still_here(problem: TablesBroken, request: Request) -> TablesBroken:
    """The problem with a word about what was typed, and with the number that the administrator asks for."""
    number = getattr(request.state, "request_id", "")
    return type(problem)(f"Your text is still here. {problem.detail} (Request {number})", code=problem.code)


def is_restored(request: Request) -> bool:
    """Whether this is a form that was kept while its sender signed in again: it is shown and never saved."""
    return bool(getattr(request.state, "restored", False))


def keepable(model: type[BaseModel], form: Form) -> list[tuple[str, str]]:
    """What may be kept of a form: the fields of its model without secrets, the marks of what was opened, and what was
    chosen of two versions."""
    shape = dict(_leaves(model))
    marks = {*LOCKS, "opened"}

    def is_kept(name: str) -> bool:
        field = _pattern(name.removeprefix(KEEP).removeprefix(STORED))
        return name in marks or (field in shape and not _is_secret(shape[field]))

    return [(name, text) for name, texts in _typed(form).items() if is_kept(name) for text in texts]


def parse(model: type[M], form: Form, *, separated: Collection[str] = (), lines: Collection[str] = ()) -> Parsed[M]:
    """Read a form as a model.

    Dotted names are nested (`submitter.email`, `sources.0.url`), repeated names are lists, and lists named in
    `separated` are typed as one text with commas. Of lists named in `lines` each entry has a field of its own, and its
    error is named by its place (`features.2`). A box that is not ticked is not sent, so an absent flag is false and
    an absent list is empty, unless the model's default is None: then it was not part of the form. Fields that the
    model does not have are ignored: buttons have names too.
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


def filled(model: type[M], source: object, *, separated: Collection[str] = ()) -> Parsed[M]:
    """The form of a model with the current values: those of the source's attributes of the same names."""
    current = {name: getattr(source, name) for name in model.model_fields if hasattr(source, name)}
    values: dict[str, Any] = {}
    shape = dict(_leaves(model))

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

    flatten("", model.model_construct(**current).model_dump(mode="json", by_alias=True, warnings=False))
    return Parsed(None, values)


def _typed(form: Form) -> Typed:
    """Field names and their texts, with `\\n` as the line end. Files are left to the routes that take them."""
    if isinstance(form, ImmutableMultiDict):
        pairs: Iterable[tuple[str, Any]] = form.multi_items()
    else:
        pairs = form.items() if isinstance(form, Mapping) else form
    typed: Typed = {}
    for name, value in pairs:
        for text in value if isinstance(value, list | tuple) else (value,):
            if isinstance(text, str):
                typed.setdefault(name, []).append(text.replace("\r\n", "\n").replace("\r", "\n"))
    return typed


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
            entries: list[Any] = [_data(entry, typed, f"{path}.{row}.", separated, rows) for row in rows[path]]
        else:
            texts = typed.get(path, [])
            if path in separated:
                texts = [piece for text in texts for piece in text.replace("\n", ",").split(",")]
            else:
                rows[path] = [place for place, text in enumerate(texts) if text.strip()]
            entries = [text.strip() for text in texts if text.strip()]
        return entries if entries or path in typed or part_of_the_form else _ABSENT
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
    errors: dict[str, str] = {}
    for details in error.errors(include_url=False):
        name, text = _name_in_form(field_name(details), rows), message(details)
        if not details["loc"]:
            name = ""  # about the form as a whole
        elif name.rpartition(".")[0] in lines:
            pass
        elif _pattern(name) not in shape and _is_list(shape.get(_pattern(name.rpartition(".")[0]))):
            # The entries of a list share one field, so the message says which entry it is about.
            name, text = name.rpartition(".")[0], f"“{str(details['input'])[:40]}”: {text}"
        errors.setdefault(name, text)
    return errors


def _name_in_form(name: str, rows: Rows) -> str:
    """The name with the row numbers of the form; the list has others, since blank rows are left out."""
    typed = ""
    for part in name.split("."):
        numbers = rows.get(typed, [])
        # The entries of a field that is separated by commas or lines have no rows of their own.
        segment = str(numbers[int(part)]) if part.isdecimal() and int(part) < len(numbers) else part
        typed = f"{typed}.{segment}" if typed else segment
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
    """The types a list may hold; None if the field is no list."""
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
