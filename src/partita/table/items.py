"""Item types: pydantic models that know their keys, their stored names, and which rows are theirs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, Never, Self, TypeVar, cast, dataclass_transform

from pydantic import BaseModel, ConfigDict, Field
from pydantic import ValidationError as PydanticError
from pydantic.fields import FieldInfo

from partita.dynamo import limits
from partita.dynamo.size import item_size
from partita.dynamo.values import Item as WireItem
from partita.table.attributes import AttributeOf, Given, ModelAttributeOf, plain_type
from partita.table.constraints import bare
from partita.table.declarations import Derived, attribute, derived, key_part
from partita.table.errors import (
    ForeignItemError,
    InvalidValueError,
    ItemTooLargeError,
    KeyPartError,
    ModelError,
    SchemaError,
    invalid_fields,
    reasons,
)
from partita.table.expiry import check_expiry_field
from partita.table.layout import Layout
from partita.table.markers import check_large_fields, has_markers
from partita.table.parts import given_values
from partita.table.queries import Get, Query, query
from partita.table.read_class import read_class
from partita.table.shared_rows import SharedRow
from partita.table.suggest import instead_of
from partita.table.tables import Index, Table, order_by_module
from partita.table.values import from_wire, same_value
from partita.table.writes import Key

Naming = Callable[[str], str]
T = TypeVar("T")


def camel_case(name: str) -> str:
    """`created_at` → `createdAt`, the way three of the five documents spell attributes."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def as_is(name: str) -> str:
    """The field's own name."""
    return name


class _DerivedAttribute:
    """A derived attribute on its class and on items: worked out anew from the fields whenever it is asked for."""

    def __init__(self, field: str, derived: Derived) -> None:
        self._field = field
        self.derived = derived
        self.annotation: Any = None

    def __get__(self, item: Item | None, owner: type[Item]) -> Any:
        if item is None:
            attribute = owner.__dict__.get("__attributes__", {}).get(self._field)
            if attribute is None:
                raise AttributeError(f"{owner.__name__} has no {self._field}: it is in no table")
            return attribute
        computed = type(item).__layout__.computed[type(item).__attributes__[self._field].stored_name]
        return computed.value(item.__dict__)


class _Body(dict[str, Any]):
    """What a class of items says, with derived attributes taken out of the fields: nobody gives them a value.

    Pydantic finds the names of the function around a class by counting frames, so nothing may stand between them.
    """

    def __init__(self, around: FrameType) -> None:
        super().__init__()
        self["__annotations__"] = _Types(self, around.f_globals, around.f_locals)

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, _DerivedAttribute(name, value) if isinstance(value, Derived) else value)


class _Types(dict[str, Any]):
    """The annotations of a class, without those of its derived attributes."""

    def __init__(self, body: _Body, names: dict[str, Any], local: Mapping[str, Any]) -> None:
        super().__init__()
        self._body, self._names, self._local = body, names, local

    def __setitem__(self, name: str, annotation: Any) -> None:
        declared = self._body.get(name)
        if not isinstance(declared, _DerivedAttribute):
            super().__setitem__(name, annotation)
        elif isinstance(annotation, str):  # under `from __future__ import annotations`
            declared.annotation = eval(annotation, self._names, {**self._local, **self._body})
        else:
            declared.annotation = annotation


if TYPE_CHECKING:
    # A class that pydantic does not publish cannot be named as a base; and with `__getattr__`, any name would be one.
    _Model = BaseModel
else:

    class _ItemMeta(type(BaseModel)):
        """Gives `Site.title` its meaning on the class: the attribute, with which conditions and updates are made."""

        @classmethod
        def __prepare__(cls, name: str, bases: tuple[type, ...], **settings: Any) -> _Body:
            return _Body(sys._getframe(1))

        def __getattr__(cls, name: str) -> Any:
            # Only what the class itself declares: pydantic looks here while it builds a subclass.
            attributes = cls.__dict__.get("__attributes__", {})
            if name in attributes:
                return attributes[name]
            # Pydantic and Python ask for names of their own all the time; only a person's are worth a suggestion.
            hint = f": {instead_of(name, attributes)}" if attributes and not name.startswith("_") else ""
            raise AttributeError(f"{cls.__name__} has no {name}{hint}")

    class _Model(BaseModel, metaclass=_ItemMeta):
        pass


@dataclass_transform(kw_only_default=True, field_specifiers=(attribute, key_part, derived, Field))
class Item(_Model):
    """A type of item: fields, and templates for the keys made of them.

    class Rating(Item, table=FUS, pk="USER#{user_id}", sk="SITE#{site_id}", keys={"siteId": "SITE#{site_id}"}):
        user_id: Attribute[str] = key_part()
        stars: Attribute[int] = attribute(ge=1, le=5)
        star_rating: Attribute[int] = derived(lambda stars: stars)
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        arbitrary_types_allowed=False,
        ignored_types=(_DerivedAttribute,),
        validate_default=True,  # what is stored is read back as any value, and a default that does not fit would not be
    )

    __layout__: ClassVar[Layout]
    __attributes__: ClassVar[Mapping[str, AttributeOf[Any, Any]]]
    __derived__: ClassVar[Mapping[str, tuple[Derived, Any]]]
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
        names: Naming | None = None,
        **settings: Any,
    ) -> None:
        """Read the class statement: which table, which templates, which spelling."""
        super().__pydantic_init_subclass__()
        for name in settings:
            choice = instead_of(name, ("table", "pk", "sk", "keys", "names"))
            raise SchemaError(f"{cls.__name__}: a class of items has no {name}=…: {choice}")
        cls.__derived__ = {**getattr(cls, "__derived__", {}), **dict(_derived_in(cls))}
        if table is None:
            if pk or sk or keys:
                raise SchemaError(f"{cls.__name__} has templates and no table: say where it is kept with table=…")
            return  # a type that others are built on
        cls.__table__ = table
        cls.__layout__ = read_class(cls, table, pk, sk, keys or {}, names or table.names or as_is, cls.__derived__)
        cls.__attributes__ = _attributes(cls)
        check_expiry_field(cls)
        check_large_fields(cls)
        if any(other.__name__ == cls.__name__ for other in table.item_types):
            raise SchemaError(f"{table.name} has an item type {cls.__name__} already")
        table.item_types.append(cls)
        order_by_module(table.item_types, lambda kind: kind.__module__)
        for item_type in table.item_types:
            item_type.__layout__.forget_reader()

    # -- changed copies

    def with_(self, *changes: Given[Self], **named: Never) -> Self:
        """The item with other values, checked like a new one: `book.with_(Book.title("Emma"))`."""
        return self._changed(given_values(type(self), changes, named, derived="change what it is made of"))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; what is changed is checked, as in `with_`, which type checkers understand."""
        return self._changed(update) if update else super().model_copy(deep=deep)

    def _changed(self, changes: Mapping[str, Any]) -> Self:
        fields = type(self).model_fields
        for name in changes:
            if name not in fields:
                raise InvalidValueError(f"{type(self).__name__} has no field {name}: {instead_of(name, fields)}")
        values = {name: getattr(self, name) for name in fields}
        try:
            changed = type(self).__pydantic_validator__.validate_python({**values, **changes})
        except PydanticError as error:
            why = reasons(invalid_fields(error))
            raise InvalidValueError(f"{type(self).__name__} cannot be changed like this: {why}") from None
        if self.__pydantic_private__:
            object.__setattr__(changed, "__pydantic_private__", self.__pydantic_private__)
        return cast("Self", changed)

    # -- to and from the wire

    def to_row(self) -> WireItem:
        """The item as it is stored, keys included; refuses what DynamoDB would refuse."""
        return self.checked_row(self.unchecked_row())

    def unchecked_row(self) -> WireItem:
        """The item as it is stored, however large."""
        row = self.__layout__.encode(self)
        unknown = self.__pydantic_private__
        row = {**deepcopy(unknown), **row} if unknown else row
        if self.__layout__.reads_whole and type(self).from_row(row) != self:
            raise InvalidValueError(
                f"This {type(self).__name__} would not be read back as it is: its validators and serializers disagree"
            )
        return row

    @classmethod
    def checked_row(cls, row: WireItem) -> WireItem:
        """The same row, if DynamoDB takes one of its size."""
        if _is_surely_small(row):
            return row
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
            raise ForeignItemError(f"The row {cls.key_of(row)} is not a {cls.__name__}")
        return item

    @classmethod
    def from_own_row(cls, row: WireItem) -> Self | None:
        """The item a row holds, or None if the row is of another type."""
        reader = cls.__layout__.reader
        shared = row.items_read if isinstance(row, SharedRow) else None
        if shared is not None and reader in shared:
            return cast("Self | None", shared[reader])
        own = reader.values(row)
        if own is None:
            if shared is not None:
                shared[reader] = None
            return None
        values, unknown = own
        try:
            item: Self = cls.__pydantic_validator__.validate_python(values, strict=False)
        except PydanticError as error:
            if has_markers(cls, row):
                raise ModelError(f"A value of this {cls.__name__} lies in the file store: use store.read(…)") from error
            wrong = invalid_fields(error)
            raise ForeignItemError(
                f"The {cls.__name__} stored as {cls.key_of(row)} does not fit its type: {reasons(wrong)}", wrong
            ) from None
        if reader.checks_key:
            cls._check_key(item, row)
        if unknown:
            # pydantic keeps, copies and compares what stands here, and leaves it out of dumps. Declared as private
            # attributes of the model, they would cost every item that has none.
            object.__setattr__(item, "__pydantic_private__", unknown)
        if reader.derived_names:
            # Beside the fields, so that it is not compared: an item is what its fields say.
            item.__dict__["_as_stored"] = {name: row[name] for name in reader.derived_names if name in row}
        if shared is not None and reader.lasting:
            shared[reader] = item
        return item

    @classmethod
    def _check_key(cls, item: Self, row: WireItem) -> None:
        """A key that an item of this type would never have, such as 007 for 7: written back, it would be another."""
        try:
            own: WireItem = cls.__layout__.key({field: getattr(item, field) for field in cls.__layout__.key_fields})
        except KeyPartError:
            own = {}  # no item of this type has such a key
        for name in (key.name for key in cls.__table__.keys):
            if row[name] != own.get(name):
                wrong = [(name, "is not spelled as items of this type spell it")]
                raise ForeignItemError(
                    f"The {cls.__name__} stored as {cls.key_of(row)} does not fit its type: {reasons(wrong)}", wrong
                )

    def as_stored(self, attribute: AttributeOf[Any, T]) -> T | None:
        """A derived attribute as the row held it that this item was read from: another program may know no derived
        attributes, or an older version of this one. None if the row had none, or there was no row."""
        name = attribute.stored_name
        if not attribute.is_derived:
            raise ModelError(f"{attribute!r} is not a derived attribute: read it from the item")
        stored = self.__dict__.get("_as_stored", {}).get(name)
        value: T | None = None if stored is None else from_wire(stored)
        return value

    def stale(self) -> frozenset[str]:
        """The stored names of what is made of fields and was not stored as it follows from them: another program
        changed a field, or never made it. Nothing for an item that was not read from a row."""
        stored = self.__dict__.get("_as_stored")
        if stored is None:
            return frozenset()
        row = self.__layout__.encode(self)
        names = self.__layout__.reader.derived_names
        return frozenset(name for name in names if not same_value(row.get(name), stored.get(name)))

    @classmethod
    def key_of(cls, row: WireItem) -> str:
        """The key of a row, to be told."""
        return ", ".join(
            f"{key.name}={next(iter(row[key.name].values()), None)}" for key in cls.__table__.keys if key.name in row
        )

    # -- requests

    @classmethod
    def key(cls, *parts: Given[Self], **named: Never) -> Key[Self]:
        """The key of one item, from the fields it is made of: `Book.key(Book.reader("ada"), Book.isbn("1"))`."""
        given = given_values(cls, parts, named)
        return Key(cls, cls.__layout__.key(given), given)

    @classmethod
    def get(cls, *parts: Given[Self], **named: Never) -> Get[Self]:
        """Read one item by the fields its key is made of."""
        return Get(cls.key(*parts, **named))

    @classmethod
    def query(cls, index: Index | Given[Self] | None = None, /, *parts: Given[Self], **named: Never) -> Query[Self]:
        """Read the items of this type that share a partition, of the table or of an index that is given first."""
        if isinstance(index, Given):
            return query(cls, None, given_values(cls, (index, *parts), named))
        return query(cls, index, given_values(cls, parts, named))

    @property
    def own_key(self) -> Key[Self]:
        """The key of this very item."""
        parts = {field: getattr(self, field) for field in self.__layout__.key_fields}
        return Key(type(self), self.__layout__.key(parts), parts)


def _derived_in(cls: type[Item]) -> Iterator[tuple[str, tuple[Derived, Any]]]:
    for field, value in vars(cls).items():
        if isinstance(value, _DerivedAttribute):
            if value.annotation is None:
                raise SchemaError(f"{cls.__name__}.{field}: say what it is, as in {field}: Attribute[str] = derived(…)")
            yield field, (value.derived, value.annotation)


def _is_surely_small(row: WireItem) -> bool:
    """Whether a row is far below DynamoDB's limit: no text takes more than four bytes a character."""
    characters = 0
    for name, value in row.items():
        text = value.get("S")
        characters += len(name) + (len(text) if text is not None else len(str(value)))
    return characters * 4 <= limits.ITEM_BYTES


def _attributes(cls: type[Item]) -> dict[str, AttributeOf[Any, Any]]:
    layout = cls.__layout__
    attributes: dict[str, AttributeOf[Any, Any]] = {}
    for field, kept in layout.fields():
        info = cls.model_fields[field]
        attributes[field] = _attribute_class(plain_type(info.annotation))(
            cls, field, (layout.stored_name(field),), info, stored=kept, dump=_field_serializer(cls, field)
        )
    for computed in layout.computed.values():
        if computed.field is not None and computed.field not in attributes:
            annotation = plain_type(cls.__derived__[computed.field][1])
            info = FieldInfo(annotation=annotation)
            attributes[computed.field] = AttributeOf(cls, computed.field, (computed.name,), info, derived=True)
    return attributes


def _attribute_class(annotation: Any) -> type[AttributeOf[Any, Any]]:
    kind = bare(annotation)
    return ModelAttributeOf if isinstance(kind, type) and issubclass(kind, BaseModel) else AttributeOf


def _field_serializer(cls: type[Item], field: str) -> Callable[[Any], Any] | None:
    """How a field is written that the class has a field_serializer for."""
    serializers = cls.__pydantic_decorators__.field_serializers.values()
    if not any(field in each.info.fields or "*" in each.info.fields for each in serializers):
        return None

    def dump(value: Any) -> Any:
        alone = cls.model_construct(**{field: value})
        return cls.__pydantic_serializer__.to_python(alone, include={field}, warnings=False)[field]

    return dump
