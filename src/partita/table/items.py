"""Item types: pydantic models that know their keys, their stored names, and which rows are theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast, dataclass_transform

from pydantic import BaseModel, ConfigDict, Field
from pydantic import ValidationError as PydanticError
from pydantic._internal._model_construction import ModelMetaclass

from partita.dynamo import limits
from partita.dynamo.size import item_size
from partita.dynamo.values import Item as WireItem
from partita.table.attributes import Attribute, attribute, key_part
from partita.table.errors import ForeignItemError, ItemTooLargeError, ModelError, SchemaError
from partita.table.expiry import check_expiry_field
from partita.table.known import KnownRow
from partita.table.large import check_large_fields, has_markers
from partita.table.layout import Layout, layout
from partita.table.suggest import instead_of
from partita.table.tables import Index, Table

if TYPE_CHECKING:
    from partita.table.queries import Get, Query
    from partita.table.writes import Key

Naming = Callable[[str], str]


def camel_case(name: str) -> str:
    """`created_at` → `createdAt`, the way three of the five documents spell attributes."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def as_is(name: str) -> str:
    """The field's own name."""
    return name


@dataclass_transform(kw_only_default=True, field_specifiers=(attribute, key_part, Field))
class ItemMeta(ModelMetaclass):
    """Gives `Site.title` its meaning on the class: the attribute, with which conditions and updates are made."""

    if not TYPE_CHECKING:
        # Hidden from type checkers, which would otherwise take any name for an attribute.
        def __getattr__(cls, name: str) -> Any:  # noqa: N805 - a metaclass's instances are classes
            # Only what the class itself declares: pydantic looks here while it builds a subclass.
            found = cls.__dict__.get("__attributes__", {}).get(name)
            if found is not None:
                return found
            known = cls.__dict__.get("__attributes__")
            # Pydantic and Python ask for names of their own all the time; only a person's are worth a suggestion.
            hint = f": {instead_of(name, known)}" if known and not name.startswith("_") else ""
            raise AttributeError(f"{cls.__name__} has no {name}{hint}")


class Item(BaseModel, metaclass=ItemMeta):
    """A type of item: fields, and templates for the keys made of them.

    class Rating(Item, table=FUS, pk="USER#{user_id}", sk="SITE#{site_id}", keys={"siteId": "SITE#{site_id}"}):
        user_id: Attribute[str] = key_part()
        stars: Attribute[int] = attribute(ge=1, le=5)
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=False)

    __layout__: ClassVar[Layout]
    __attributes__: ClassVar[Mapping[str, Attribute[Any]]]
    __table__: ClassVar[Table]

    def __init_subclass__(cls, **_settings: Any) -> None:
        super().__init_subclass__()

    @classmethod
    def __pydantic_init_subclass__(
        cls,
        *,
        table: Table | None = None,
        pk: str | None = None,
        sk: str | None = None,
        keys: Mapping[str, str] | None = None,
        names: Naming = as_is,
        **settings: Any,
    ) -> None:
        """Read the class statement: which table, which templates, which spelling."""
        super().__pydantic_init_subclass__()
        for name in settings:
            choice = instead_of(name, ("table", "pk", "sk", "keys", "names"))
            raise SchemaError(f"{cls.__name__}: a class of items has no {name}=…: {choice}")
        if table is None:
            if pk or sk or keys:
                raise SchemaError(f"{cls.__name__} has templates and no table: say where it is kept with table=…")
            return  # a type that others are built on
        cls.__table__ = table
        cls.__layout__ = layout(cls, table, pk, sk, keys or {}, names)
        cls.__attributes__ = {
            field: Attribute(
                field, cls.__layout__.stored_name(field), stored=kept, owner=cls.__name__, info=cls.model_fields[field]
            )
            for field, kept in cls.__layout__.fields()
        }
        check_expiry_field(cls)
        check_large_fields(cls)
        if any(known.__name__ == cls.__name__ for known in table.item_types):
            raise SchemaError(f"{table.name} has an item type {cls.__name__} already")
        table.item_types.append(cls)
        for known in table.item_types:
            known.__layout__.forget_reader()

    # -- to and from the wire

    def to_row(self) -> WireItem:
        """The item as it is stored, keys included; refuses what DynamoDB would refuse."""
        return self.checked_row(self.unchecked_row())

    def unchecked_row(self) -> WireItem:
        """The item as it is stored, however large."""
        row = self.__layout__.encode(self)
        unknown = self.__pydantic_private__
        return {**deepcopy(unknown), **row} if unknown else row

    @classmethod
    def checked_row(cls, row: WireItem) -> WireItem:
        """The same row, if DynamoDB takes one of its size."""
        size = item_size(row)
        if size > limits.ITEM_BYTES:
            raise ItemTooLargeError(
                f"{cls.__name__} {row[cls.__table__.pk.name]} has {size:,} bytes; DynamoDB takes 409,600. "
                "Keep its largest field in the file store: attribute(large=True)."
            )
        return row

    @classmethod
    def owns(cls, row: WireItem) -> bool:
        """Whether a row is of this type: its keys fit, and no type with a closer fit claims it."""
        return cls.__layout__.owns(row)

    @classmethod
    def from_row(cls, row: WireItem) -> Self:
        """The item a row holds; a row of another type is refused."""
        item = cls.from_own_row(row)
        if item is None:
            raise ForeignItemError(f"The row {cls._key_of(row)} is not a {cls.__name__}")
        return item

    @classmethod
    def from_own_row(cls, row: WireItem) -> Self | None:
        """The item a row holds, or None where the row is of another type."""
        reader = cls.__layout__.reader
        shared = row.items_read if reader.lasting and isinstance(row, KnownRow) else None
        if shared is not None and (known := shared.get(reader)) is not None:
            return cast("Self", known)
        found = reader.values(row)
        if found is None:
            return None
        values, unknown = found
        try:
            item: Self = cls.__pydantic_validator__.validate_python(values)
        except PydanticError as error:
            if has_markers(cls, row):
                raise ModelError(f"A value of this {cls.__name__} lies in the file store: use store.read(…)") from error
            # Which fields and why, but not what is stored in them: that may be private, and this goes into logs.
            wrong = [(".".join(map(str, each["loc"])), each["msg"]) for each in error.errors(include_url=False)]
            told = "; ".join(f"{field}: {why}" for field, why in wrong)
            raise ForeignItemError(
                f"The {cls.__name__} stored as {cls._key_of(row)} does not fit its type: {told}", wrong
            ) from None
        if unknown:
            # pydantic keeps, copies and compares what stands here, and leaves it out of dumps. Declared as private
            # attributes of the model, they would cost every item that has none.
            object.__setattr__(item, "__pydantic_private__", unknown)
        if shared is not None:
            shared[reader] = item
        return item

    @classmethod
    def _key_of(cls, row: WireItem) -> str:
        """The key of a row, to be told."""
        return ", ".join(
            f"{key.name}={next(iter(row[key.name].values()), None)}" for key in cls.__table__.keys if key.name in row
        )

    # -- requests

    @classmethod
    def key(cls, **parts: Any) -> Key[Self]:
        """The key of one item, from the fields it is made of."""
        from partita.table.writes import Key

        return Key(cls, cls.__layout__.key(parts), parts)

    @classmethod
    def get(cls, **parts: Any) -> Get[Self]:
        """Read one item by the fields its key is made of."""
        from partita.table.queries import Get

        return Get(cls.key(**parts))

    @classmethod
    def query(cls, index: Index | None = None, **parts: Any) -> Query[Self]:
        """Read the items of this type that share a partition, of the table or of an index."""
        from partita.table.queries import query

        return query(cls, index, parts)

    @property
    def own_key(self) -> Key[Self]:
        """The key of this very item."""
        from partita.table.writes import Key

        parts = {field: getattr(self, field) for field in self.__layout__.key_fields}
        return Key(type(self), self.__layout__.key(parts), parts)
