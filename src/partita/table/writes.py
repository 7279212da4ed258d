"""Writes as values: put, update, delete, check; alone or together in a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

from typing_extensions import TypeVar  # with defaults, which Python has from 3.13 on

from partita.dynamo import limits, requests
from partita.dynamo.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    Condition,
    Or,
    Path,
    RemoveAction,
    SetAction,
    UpdateAction,
    Value,
)
from partita.dynamo.expressions.tree import Update as UpdateTree
from partita.dynamo.values import Item as WireItem
from partita.table.attributes import UNKNOWN, Action, Attribute
from partita.table.errors import ModelError, StaleKeyError, TransactionTooLargeError
from partita.table.expiry import has_expired
from partita.table.layout import shard_of
from partita.table.reading import sharded
from partita.table.suggest import instead_of
from partita.table.values import to_wire
from partita.table.versions import changed_meanwhile, next_version, same_version, set_next_version, unchanged

if TYPE_CHECKING:
    from partita.table.items import Item

I_co = TypeVar("I_co", bound="Item", covariant=True, default="Item")
Meaning: TypeAlias = Exception | Callable[[Any], Exception]
"""The error that a failed condition is: given, or made of the item that was there."""


@dataclass(frozen=True, slots=True)
class Key(Generic[I_co]):
    """The key of one item."""

    item_type: type[I_co]
    wire: WireItem
    parts: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash((self.item_type, tuple((name, str(value)) for name, value in self.wire.items())))

    def present(self) -> Condition:
        """The item is there."""
        return AttributeExists(Path((self.item_type.__table__.pk.name,)))

    def absent(self) -> Condition:
        """The item is not there."""
        return AttributeNotExists(Path((self.item_type.__table__.pk.name,)))


@dataclass(frozen=True, slots=True)
class Put(Generic[I_co]):
    """Write an item whole."""

    item: I_co
    condition: Condition | None = None
    meaning: Meaning | None = None

    def __post_init__(self) -> None:
        if not hasattr(type(self.item), "own_key"):
            raise ModelError(f"Put takes an item, as in Put(book); not {self.item!r}")

    def when(self, condition: Condition) -> Put[I_co]:
        """Only where this holds of what is there now."""
        return replace(self, condition=_joined(self.condition, condition))

    def if_new(self, *, or_expired_at: float | None = None) -> Put[I_co]:
        """Only where nothing is there; with the time, also where what is there has expired and is not deleted yet."""
        absent = self.key.absent()
        if or_expired_at is None:
            return self.when(absent)
        return self.when(Or((absent, has_expired(self.item.__table__, or_expired_at))))

    def unless_changed(self, read: Item, attribute: Attribute[Any], *more: Attribute[Any]) -> Put[I_co]:
        """Only where these attributes are still what they were when the item was read."""
        condition = _joined(self.condition, unchanged(self.key, read, (attribute, *more)))
        return replace(self, condition=condition, meaning=self.meaning or changed_meanwhile(self.key))

    def next_version(self) -> Put[I_co]:
        """The item with its version() counted up, only where the stored version is still this one."""
        condition = _joined(self.condition, same_version(self.key, self.item))
        meaning = self.meaning or changed_meanwhile(self.key)
        return replace(self, item=next_version(self.item), condition=condition, meaning=meaning)

    def otherwise(self, error: Exception | Callable[[I_co | None], Exception]) -> Put[I_co]:
        """The error that is raised where the condition fails, or a function that makes it of what is there."""
        return replace(self, meaning=error)

    @property
    def key(self) -> Key[I_co]:
        """Which item it writes."""
        return self.item.own_key

    def request(self, row: WireItem | None = None) -> requests.PutItem:
        """What is sent: the item's row, or another that stands for it."""
        return requests.PutItem(
            table=self.item.__table__.name,
            item=self.item.to_row() if row is None else row,
            condition=self.condition,
            on_failure=_shown(self.meaning),
        )


@dataclass(frozen=True, slots=True)
class Delete(Generic[I_co]):
    """Delete an item."""

    key: Key[I_co]
    condition: Condition | None = None
    meaning: Meaning | None = None

    def __post_init__(self) -> None:
        _check_key("Delete", self.key)

    def when(self, condition: Condition) -> Delete[I_co]:
        """Only where this holds of what is there now."""
        return replace(self, condition=_joined(self.condition, condition))

    def if_there(self) -> Delete[I_co]:
        """Fail where nothing is there."""
        return self.when(self.key.present())

    def unless_changed(self, read: Item, attribute: Attribute[Any], *more: Attribute[Any]) -> Delete[I_co]:
        """Only where these attributes are still what they were when the item was read."""
        condition = _joined(self.condition, unchanged(self.key, read, (attribute, *more)))
        return replace(self, condition=condition, meaning=self.meaning or changed_meanwhile(self.key))

    def otherwise(self, error: Exception | Callable[[I_co | None], Exception]) -> Delete[I_co]:
        """The error that is raised where the condition fails, or a function that makes it of what is there."""
        return replace(self, meaning=error)

    def request(self) -> requests.DeleteItem:
        return requests.DeleteItem(
            table=self.key.item_type.__table__.name,
            key=self.key.wire,
            condition=self.condition,
            on_failure=_shown(self.meaning),
        )


@dataclass(frozen=True, slots=True)
class Check(Generic[I_co]):
    """Make sure of an item in a transaction without writing it."""

    key: Key[I_co]
    condition: Condition
    meaning: Meaning | None = None

    def otherwise(self, error: Exception | Callable[[I_co | None], Exception]) -> Check[I_co]:
        """The error that is raised where the condition fails, or a function that makes it of what is there."""
        return replace(self, meaning=error)

    def request(self) -> requests.ConditionCheck:
        return requests.ConditionCheck(
            table=self.key.item_type.__table__.name,
            key=self.key.wire,
            condition=self.condition,
            on_failure=_shown(self.meaning),
        )


@dataclass(frozen=True, slots=True)
class Update(Generic[I_co]):
    """Change some fields of an item. Keys made of a changed field are made anew in the same write, or it is refused."""

    key: Key[I_co]
    actions: tuple[Action, ...]
    condition: Condition | None = None
    known: Mapping[str, Any] | None = None
    meaning: Meaning | None = None
    new: bool = False

    def __init__(
        self,
        key: Key[I_co],
        *actions: Action,
        condition: Condition | None = None,
        known: Mapping[str, Any] | None = None,
        meaning: Meaning | None = None,
        new: bool = False,
    ) -> None:
        _check_key("Update", key)
        object.__setattr__(self, "new", new)
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "actions", actions)
        object.__setattr__(self, "condition", condition)
        object.__setattr__(self, "known", known)
        object.__setattr__(self, "meaning", meaning)

    def when(self, condition: Condition) -> Update[I_co]:
        """Only where this holds of what is there now."""
        return self._with(condition=_joined(self.condition, condition))

    def if_there(self) -> Update[I_co]:
        """Fail where nothing is there, instead of making a fragment of an item."""
        return self.when(self.key.present())

    def or_new(self) -> Update[I_co]:
        """Where nothing is there, make an item that is found like any other: with its discriminator and all keys.

        For counters and the like. What the update does not set must have a default, and every key attribute must be
        made of fields that the update or the item's own key tells.
        """
        return self._with(new=True)

    def knowing(self, **fields: Any) -> Update[I_co]:
        """Fields that do not change but are needed to make keys anew."""
        return self._with(known={**(self.known or {}), **fields})

    def unless_changed(self, read: Item, attribute: Attribute[Any], *more: Attribute[Any]) -> Update[I_co]:
        """Only where these attributes are still what they were when the item was read."""
        condition = _joined(self.condition, unchanged(self.key, read, (attribute, *more)))
        return self._with(condition=condition, meaning=self.meaning or changed_meanwhile(self.key))

    def next_version(self, read: Item) -> Update[I_co]:
        """Count the version() up, only where the stored version is still that of the item that was read."""
        changes = self.when(same_version(self.key, read))._with(meaning=self.meaning or changed_meanwhile(self.key))
        return changes.with_actions(*self.actions, set_next_version(read))

    def otherwise(self, error: Exception | Callable[[I_co | None], Exception]) -> Update[I_co]:
        """The error that is raised where the condition fails, or a function that makes it of what is there."""
        return self._with(meaning=error)

    def with_actions(self, *actions: Action) -> Update[I_co]:
        """Other actions on the same conditions."""
        return self._with(actions=actions)

    def _with(self, **changes: Any) -> Update[I_co]:
        settings = {
            "condition": self.condition,
            "known": self.known,
            "meaning": self.meaning,
            "new": self.new,
            **changes,
        }
        return Update(self.key, *settings.pop("actions", self.actions), **settings)

    def request(self) -> requests.UpdateItem:
        if not self.actions:
            raise ModelError(f"An update of {self.key.wire} that changes nothing: leave it out, or use a Check")
        return requests.UpdateItem(
            table=self.key.item_type.__table__.name,
            key=self.key.wire,
            update=UpdateTree((*(action.action for action in self.actions), *self._keys(), *self._birth())),
            condition=self.condition,
            on_failure=_shown(self.meaning),
        )

    def _keys(self) -> Iterable[UpdateAction]:
        """Every derived attribute made of a field that changes: made anew, or removed with its input."""
        layout = self.key.item_type.__layout__
        changed = {action.field: self._afterwards(action) for action in self.actions}
        for field in changed:
            if field in layout.key_fields:
                raise StaleKeyError(f"{field} is part of the key of {self.key.item_type.__name__}: an item cannot move")
            if field not in layout.names:
                choice = instead_of(field, layout.names)
                raise ModelError(f"{self.key.item_type.__name__} has no {field} that could be updated: {choice}")
        # What can have one value only is known: spread indexes are often keyed by such a discriminator.
        fixed = {layout.fields_by_name[name]: next(iter(wire.values())) for name, wire in layout.constants.items()}
        values = {**fixed, **(self.known or {}), **self.key.parts, **changed}
        for name, made in layout.derived.items():
            if not self.new and not set(made.fields) & changed.keys():
                continue
            path = Path((name,))
            if any(field in values and values[field] is None for field in made.fields):
                yield RemoveAction(path)
                continue
            open_fields = [field for field in made.fields if values.get(field, UNKNOWN) is UNKNOWN]
            if open_fields:
                raise StaleKeyError(
                    f"{name} is made of {', '.join(made.fields)}, and this update does not know "
                    f"{', '.join(open_fields)}. Set it too, or say what it is with knowing(…)."
                )
            text = made.render(values)
            assert text is not None  # no input is missing
            yield SetAction(path, Value({"S": self._sharded(name, text)}))

    def _afterwards(self, action: Action) -> Any:
        """What a field reads as after an action: without its attribute, as its default."""
        item_type, field = self.key.item_type, action.field
        if not isinstance(action.action, RemoveAction) or field not in item_type.__layout__.names:
            return action.value
        default = item_type.__layout__.absent_as(field)
        name = item_type.__layout__.names[field]
        for index in item_type.__table__.indexes if default is not None else ():
            if name in (key.name for key in index.key_names):
                raise StaleKeyError(
                    f"Without {name} a {item_type.__name__} reads as {default!r}, and {index!r} would not hold it: "
                    f"set {field} to {default!r} instead of removing it"
                )
        return default

    def _birth(self) -> Iterable[UpdateAction]:
        """What every item of the type has: its discriminator, and the parts of its key that are attributes too."""
        if not self.new:
            return
        layout = self.key.item_type.__layout__
        changed = {action.field for action in self.actions}
        for name, constant in layout.constants.items():
            if layout.fields_by_name[name] not in changed and name not in layout.own_names:
                yield SetAction(Path((name,)), Value(constant))
        for field in layout.key_fields:
            stored = layout.names.get(field)
            if stored is not None and stored not in layout.own_names and stored not in layout.constants:
                wire = to_wire(self.key.parts[field])
                if wire is not None:
                    yield SetAction(Path((stored,)), Value(wire))

    def _sharded(self, name: str, text: str) -> str:
        table = self.key.item_type.__table__
        for index in table.indexes:
            if index.shards > 1 and index.pk[0].name == name:
                return sharded(text, shard_of(self.key.wire, table, index.shards))
        return text


Write = Put | Update | Delete | Check


@dataclass(frozen=True, slots=True)
class Transaction:
    """All of these writes, or none."""

    writes: tuple[Write, ...]
    token: str | None = None

    def __init__(self, *writes: Write, token: str | None = None) -> None:
        object.__setattr__(self, "writes", writes)
        object.__setattr__(self, "token", token)

    def and_(self, *writes: Write) -> Transaction:
        """With more writes."""
        return Transaction(*self.writes, *writes, token=self.token)

    def request(self, actions: tuple[requests.TransactAction, ...] | None = None) -> requests.TransactWriteItems:
        """What is sent: the writes' requests, or others that stand for them."""
        if not self.writes:
            raise ModelError("A transaction without writes does nothing: leave it out")
        if len(self.writes) > limits.TRANSACTION_ACTIONS:
            raise TransactionTooLargeError(
                f"{len(self.writes)} writes; DynamoDB takes {limits.TRANSACTION_ACTIONS} in a transaction"
            )
        actions = actions or tuple(write.request() for write in self.writes)
        seen: set[str] = set()
        for write, action in zip(self.writes, actions, strict=True):
            key = str((action.table, write.key.wire))
            if key in seen:
                raise TransactionTooLargeError(f"Two writes on one item in a transaction: {key}")
            seen.add(key)
        return requests.TransactWriteItems(actions=actions, token=self.token)


def _check_key(what: str, key: object) -> None:
    if not isinstance(key, Key):
        raise ModelError(f"{what} takes a key, as in {what}(Book.key(…)) or {what}(book.own_key); not {key!r}")


def _joined(first: Condition | None, second: Condition) -> Condition:
    if not isinstance(second, Condition):
        raise ModelError(f"{second!r} is no condition: make one from an attribute, as in Book.stars > 3")
    return second if first is None else And((first, second))


def _shown(meaning: Meaning | None) -> requests.FailureReturn:
    """Whoever makes an error of what is there must be shown it."""
    return "NONE" if meaning is None or isinstance(meaning, Exception) else "ALL_OLD"
