"""Messages for invalid fields; the same on pages and in the API."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import AfterValidator, ValidationError
from pydantic_core import PydanticCustomError

from partita.kit.problems import FieldError
from partita.table.suggest import nearest

Details = Mapping[str, Any]
"""One entry of pydantic's `errors()`."""
UNKNOWN_PARAMETER = "unknown_parameter"
"""The type of an error about a parameter that a route does not have; `known` in its context are those it has."""


def field_errors(error: ValidationError | Iterable[Details], *, skip: int = 0) -> tuple[FieldError, ...]:
    """Every bad field once. `skip=1` leaves out FastAPI's first part of the location (`body`, `query`, …)."""
    errors: dict[str, FieldError] = {}
    details: Iterable[Any] = error.errors(include_url=False) if isinstance(error, ValidationError) else error
    for each in details:
        name = field_name(each, skip=skip)
        errors.setdefault(name, FieldError(name, message(each)))
        if len(errors) == _MOST_ERRORS:
            break
    return tuple(errors.values())


def field_name(details: Details, *, skip: int = 0) -> str:
    """The field as the API names it, with dots if it is nested; `body` for the request as a whole."""
    if details["type"] == "json_invalid":
        return "body"
    parts = [str(part) for part in details["loc"][skip:]]
    if details["type"] == UNKNOWN_PARAMETER:
        name = parts[-1]  # whatever it looks like
    else:
        name = ".".join(part for part in parts if not _is_member(part)) or "body"
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def _is_member(part: str) -> bool:
    """For a union, pydantic adds the member it tried; that is not part of the name. No pattern: a name comes from the
    request, and one that is tried again and again from each of its characters takes minutes."""
    return part in _MEMBERS or part.startswith(("function-", "constrained-")) or (part.endswith("]") and "[" in part)


def message(details: Details) -> str:
    """What to do about it."""
    kind, given = details["type"], details.get("input")
    if kind == "missing" or (given in ("", None) and kind not in _NOT_FILLED_IN):
        return "Please fill this in."
    if kind in ("too_short", "string_too_short") and isinstance(given, str) and not given.strip():
        return "Please fill this in."  # only spaces
    say = _MESSAGES.get(kind)
    return str(details["msg"]) if say is None else say({**(details.get("ctx") or {}), "given": given})


def matching(pattern: str, explanation: str) -> AfterValidator:
    """A text of that pattern; the explanation is the message if it does not match."""
    compiled = re.compile(pattern)

    def check(text: str) -> str:
        if compiled.fullmatch(text) is None:
            raise PydanticCustomError("form", "{explanation}", {"explanation": explanation})
        return text

    return AfterValidator(check)


Context = Mapping[str, Any]
_MEMBERS = frozenset({"str", "int", "float", "bool", "nullable"})
_NOT_FILLED_IN = frozenset({"extra_forbidden", "json_invalid", UNKNOWN_PARAMETER})
"""Errors that are not about a value, so that none is missing."""
_LONGEST_NAME = 200
_MOST_ERRORS = 100
"""Nobody reads more; a request of a megabyte may have a hundred thousand."""


def _too_short(context: Context) -> str:
    return f"At least {_counted(context['min_length'], 'character')}; this has {_length(context)}."


def _too_long(context: Context) -> str:
    return f"At most {_counted(context['max_length'], 'character')}; this has {_length(context)}."


def _length(context: Context) -> int:
    """The length as pydantic counted it, without surrounding spaces if it strips them."""
    counted = context.get("actual_length")
    return len(str(context["given"])) if counted is None else int(counted)


def _too_few(context: Context) -> str:
    # pydantic reports a text like a list if a validator of ours comes first.
    if isinstance(context["given"], str):
        return _too_short(context)
    return f"At least {_counted(context['min_length'], 'entry', 'entries')}; there are {context['actual_length']}."


def _too_many(context: Context) -> str:
    if isinstance(context["given"], str):
        return _too_long(context)
    return f"At most {_counted(context['max_length'], 'entry', 'entries')}; there are {context['actual_length']}."


def _one_of(context: Context) -> str:
    return f"Choose {_unquoted(context['expected'])}."


def _own_message(context: Context) -> str:
    """The message of one of our validators, or the reason from the check of email addresses."""
    return str(context.get("reason") or context.get("error") or "This is not valid.")


def _unknown(what: str) -> Callable[[Context], str]:
    def say(context: Context) -> str:
        names: Sequence[str] | None = context.get("known")
        if names is None:
            return f"There is no such {what}."
        meant = nearest(context["name"], names)
        if meant is not None:
            return f"There is no such {what}; did you mean {meant}?"
        if not names:
            return f"There is no such {what}, and no other either."
        return f"There is no such {what}; these exist: {', '.join(names)}."

    return say


def _unquoted(choices: str) -> str:
    return choices.replace("'", "")


def _always(text: str) -> Callable[[Context], str]:
    return lambda _context: text


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


_WHOLE_NUMBER = _always("Enter a whole number.")
_NUMBER = _always("Enter a number.")
_TEXT = _always("Enter text.")
_YES_OR_NO = _always("Enter true or false.")
_DAY = _always("Enter a date, such as 2026-01-31.")
_MOMENT = _always("Enter a date and time, such as 2026-01-31T10:30:00Z.")
_ADDRESS = _always("Enter a complete URL, such as https://example.org.")
_LIST = _always("Enter a list.")
_OBJECT = _always("Enter an object.")

_MESSAGES: dict[str, Callable[[Context], str]] = {
    "string_too_short": _too_short,
    "string_too_long": _too_long,
    "string_type": _TEXT,
    "string_pattern_mismatch": lambda context: f"This must match {context['pattern']}",
    "too_short": _too_few,
    "too_long": _too_many,
    "int_parsing": _WHOLE_NUMBER,
    "int_type": _WHOLE_NUMBER,
    "int_from_float": _WHOLE_NUMBER,
    "int_parsing_size": _always("This number is too large."),
    "float_parsing": _NUMBER,
    "float_type": _NUMBER,
    "finite_number": _NUMBER,
    "decimal_parsing": _NUMBER,
    "decimal_type": _NUMBER,
    "greater_than": lambda context: f"More than {context['gt']}.",
    "greater_than_equal": lambda context: f"At least {context['ge']}.",
    "less_than": lambda context: f"Less than {context['lt']}.",
    "less_than_equal": lambda context: f"At most {context['le']}.",
    "bool_parsing": _YES_OR_NO,
    "bool_type": _YES_OR_NO,
    "literal_error": _one_of,
    "enum": _one_of,
    "date_parsing": _DAY,
    "date_type": _DAY,
    "date_from_datetime_parsing": _DAY,
    "date_from_datetime_inexact": _DAY,
    "datetime_parsing": _MOMENT,
    "datetime_type": _MOMENT,
    "datetime_from_date_parsing": _MOMENT,
    "url_parsing": _ADDRESS,
    "url_type": _ADDRESS,
    "url_scheme": lambda context: f"The URL must start with {_unquoted(context['expected_schemes'])}.",
    "url_too_long": lambda context: f"At most {context['max_length']:,} characters.",
    "list_type": _LIST,
    "tuple_type": _LIST,
    "set_type": _LIST,
    "frozen_set_type": _LIST,
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "extra_forbidden": _unknown("field"),
    UNKNOWN_PARAMETER: _unknown("parameter"),
    "json_invalid": _always("This is not JSON."),
    "value_error": _own_message,
    "assertion_error": _own_message,
}
