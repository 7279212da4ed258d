"""Attributes that are made of fields: texts by a template, copies of a number or of bytes, or what a function says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from partita.dynamo.frozen import dataclass
from partita.dynamo.values import AttributeValue
from partita.table.codecs import Codec
from partita.table.errors import InvalidValueError, SchemaError


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """An attribute that a function makes of fields; None leaves it out."""

    what: str
    name: str
    """The stored name."""
    fields: tuple[str, ...]
    """The fields it is made of."""
    function: Callable[..., Any]
    codec: Codec
    field: str | None = None
    """What it is called on items; None if only the table has it."""
    text: str = ""
    """How documents show it."""

    def value(self, values: Mapping[str, Any]) -> Any:
        """What it is, from the fields it is made of."""
        try:
            made = self.function(*(values[field] for field in self.fields))
        except InvalidValueError:
            raise
        except Exception as error:
            raise SchemaError(
                f"{self.what} cannot be made of {', '.join(self.fields)}: {type(error).__name__}: {error}. "
                "A derived attribute must follow from any values that its fields can have."
            ) from error
        return made

    def wire(self, values: Mapping[str, Any]) -> AttributeValue | None:
        """Its stored form; None if it is left out."""
        made = self.value(values)
        return None if made is None else self.encoded(made)

    def encoded(self, made: Any) -> AttributeValue | None:
        """The stored form of one of its values."""
        if self.codec.dump is None and not self.codec.checked:
            return self.codec.encode(self.codec.validated(made))
        return self.codec.encode(made)
