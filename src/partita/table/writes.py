"""Writes as values: put, update, delete, check; alone or together in a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Never, TypeAlias

from typing_extensions import TypeVar  # with defaults, which Python has from 3.13 on

from partita.dynamo import limits, requests
from partita.dynamo.expressions.tree import And, AttributeExists, AttributeNotExists, Or, Path
from partita.dynamo.expressions.tree import Condition as ConditionTree
from partita.dynamo.expressions.tree import Update as UpdateTree
from partita.dynamo.expressions.update import only_removes
from partita.dynamo.frozen import dataclass
from partita.dynamo.values import Item as WireItem
from partita.table.actions import Action
from partita.table.attributes import AttributeOf, Given
from partita.table.conditions import Condition, tree_for
from partita.table.errors import ModelError, TransactionTooLargeError
from partita.table.expiry import has_expired
from partita.table.implied_actions import derived_actions, known_conditions, new_item_actions
from partita.table.parts import given_values
from partita.table.versions import changed_meanwhile, next_version, same_version, set_next_version, unchanged

if TYPE_CHECKING:
    from partita.table.items import Item

I_co = TypeVar("I_co", bound="Item", covariant=True, default=Any)
I = TypeVar("I", bound="Item")  # noqa: E741 - an item, as T is a type
Meaning: TypeAlias = Exception | Callable[[Any], Exception]
"""The error to raise if a condition fails: given, or made from the stored item."""


@dataclass(frozen=True, slots=True)
class Key(Generic[I_co]):
    """The key of one item."""

    item_type: type[I_co]
    wire: WireItem
    parts: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash((self.item_type, tuple((name, str(value)) for name, value in self.wire.items())))

    def present(self: Key[I]) -> Condition[I]:
        """The item is there."""
        return Condition(AttributeExists(Path((self.item_type.__table__.pk.name,))))

    def unchanged_since(self: Key[I], read: I, *attributes: AttributeOf[I, Any]) -> Condition[I]:
        """The item is there, and these attributes of it are what they were when it was read."""
        return Condition(unchanged(self, read, attributes))

    def absent(self: Key[I]) -> Condition[I]:
        """The item is not there."""
        return Condition(AttributeNotExists(Path((self.item_type.__table__.pk.name,))))


@dataclass(frozen=True, slots=True)
class Put(Generic[I_co]):
    """Write an item whole."""

    item: I_co
    condition: ConditionTree | None = None
    meaning: Meaning | None = None

    def __post_init__(self) -> None:
        if not hasattr(type(self.item), "own_key"):
            raise ModelError(f"Put takes an item, as in Put(book); not {self.item!r}")

    def when(self: Put[I], condition: Condition[I]) -> Put[I]:
        """Only if this holds for the stored item."""
        return replace(self, condition=_joined(self.condition, tree_for(condition, type(self.item))))

    def if_new(self: Put[I], *, or_expired_at: float | None = None) -> Put[I]:
        """Only if there is no item; with the time, also if it has expired and is not deleted yet."""
        absent = self.key.absent()
        if or_expired_at is None:
            return self.when(absent)
        expired = has_expired(self.item.__table__, or_expired_at)
        return replace(self, condition=_joined(self.condition, Or((absent.tree, expired))))

    def unless_changed(self: Put[I], read: Item, attribute: AttributeOf[I, Any], *more: AttributeOf[I, Any]) -> Put[I]:
        """Only if these attributes are still what they were when the item was read."""
        condition = _joined(self.condition, unchanged(self.key, read, (attribute, *more)))
        return replace(self, condition=condition, meaning=self.meaning or changed_meanwhile(self.key))

    def next_version(self) -> Put[I_co]:
        """The item with its version() counted up, only if the stored version is still this one."""
        condition = _joined(self.condition, same_version(self.key, self.item))
        meaning = self.meaning or changed_meanwhile(self.key)
        return replace(self, item=next_version(self.item), condition=condition, meaning=meaning)

    def otherwise(self, error: Exception | Callable[[I_co | None], Exception]) -> Put[I_co]:
        """The error that is raised if the condition fails, or a function that makes it from the stored item."""
        return replace(self, meaning=error)

    @property
    def key(self) -> Key[I_co]:
        """Which item it writes."""
        return self.item.own_key

    def request(self, row: WireItem | None = None) -> requests.PutItem:
        """The request: with the item's row, or another in its place."""
        return requests.PutItem(
            table=self.item.__table__.name,
            item=self.item.to_row() if row is None else row,
            condition=self.condition,
            on_failure=_failure_return(self.meaning),
        )


@dataclass(frozen=True, slots=True)
class Delete(Generic[I_co]):
    """Delete an item."""

    key: Key[I_co]
    condition: ConditionTree | None = None
    meaning: Meaning | None = None

    def __post_init__(self) -> None:
        _check_key("Delete", self.key)

    def when(self: Delete[I], condition: Condition[I]) -> Delete[I]:
        """Only if this holds for the stored item."""
        return replace(self, condition=_joined(self.condition, tree_for(condition, self.key.item_type)))

    def if_there(self: Delete[I]) -> Delete[I]:
        """Fail if there is no item."""
        return self.when(self.key.present())

    def unless_changed(
        self: Delete[I], read: Item, attribute: AttributeOf[I, Any], *more: AttributeOf[I, Any]
    ) -> Delete[I]:
        """Only if these attributes are still what they were when the item was read."""
        condition = _joined(self.condition, unchanged(self.key, read, (attribute, *more)))
        return replace(self, condition=condition, meaning=self.meaning or changed_meanwhile(self.key))

    def otherwise(self, error: Exception | Callable[[I_co | None], Exception]) -> Delete[I_co]:
        """The error that is raised if the condition fails, or a function that makes it from the stored item."""
        return replace(self, meaning=error)

    def request(self) -> requests.DeleteItem:
        return requests.DeleteItem(
            table=self.key.item_type.__table__.name,
            key=self.key.wire,
            condition=self.condition,
            on_failure=_failure_return(self.meaning),
        )


@dataclass(frozen=True, slots=True)
class Check(Generic[I_co]):
    """Make sure of an item in a transaction without writing it."""

    key: Key[I_co]
    condition: ConditionTree
    meaning: Meaning | None = None

    def __init__(self: Check[I], key: Key[I], condition: Condition[I], meaning: Meaning | None = None) -> None:
        _check_key("Check", key)
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "condition", tree_for(condition, key.item_type))
        object.__setattr__(self, "meaning", meaning)

    def otherwise(self, error: Exception | Callable[[I_co | None], Exception]) -> Check[I_co]:
        """The error that is raised if the condition fails, or a function that makes it from the stored item."""
        return Check(self.key, Condition(self.condition), error)

    def request(self) -> requests.ConditionCheck:
        return requests.ConditionCheck(
            table=self.key.item_type.__table__.name,
            key=self.key.wire,
            condition=self.condition,
            on_failure=_failure_return(self.meaning),
        )


@dataclass(frozen=True, slots=True)
class Update(Generic[I_co]):
    """Change some fields of an item that is there. What is made of a changed field is made anew in the same write, or
    the update is refused."""

    key: Key[I_co]
    actions: tuple[Action[Any], ...]
    condition: ConditionTree | None = None
    known: Mapping[str, Any] | None = None
    meaning: Meaning | None = None
    new: bool = False
    remake: bool = False

    def __init__(self: Update[I], key: Key[I], *actions: Action[I]) -> None:
        _check_key("Update", key)
        for action in actions:
            _check_owner(key.item_type, action)
        for name, value in (("key", key), ("actions", actions), ("condition", None), ("known", None)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "meaning", None)
        object.__setattr__(self, "new", False)
        object.__setattr__(self, "remake", False)

    @staticmethod
    def between(before: I, after: I) -> Update[I]:
        """The update from one version of an item to another: of the fields that differ, if they have not changed since.

        Other fields may have changed meanwhile and stay so. If the two are equal there is nothing to update, which
        an update without actions refuses: look at `actions`.
        """
        key, item_type = before.own_key, type(before)
        if after.own_key.wire != key.wire:
            raise ModelError(
                f"The key of an item cannot change, from {key.wire} to {after.own_key.wire}: delete it, put a new one"
            )
        attributes = item_type.__attributes__
        changed = [name for name in item_type.__layout__.names if getattr(before, name) != getattr(after, name)]
        update = Update(key, *(attributes[name].set(getattr(after, name)) for name in changed))
        if not changed:
            return update
        update = update.unless_changed(before, *[attributes[name] for name in changed])
        return update._knowing_inputs(before)

    def when(self: Update[I], condition: Condition[I]) -> Update[I]:
        """Only if this holds for the stored item."""
        return self._with(condition=_joined(self.condition, tree_for(condition, self.key.item_type)))

    def or_new(self) -> Update[I_co]:
        """If there is no item, create one with its discriminator and all keys, so that every index finds it.

        For counters and the like. What the update does not set must have a default, and every key attribute must be
        made of fields that the update or the item's own key tells.
        """
        return self._with(new=True)

    def knowing(self: Update[I], *fields: Given[I], **named: Never) -> Update[I]:
        """Fields that do not change but are needed to make others anew; the update fails if they are not so."""
        known = given_values(self.key.item_type, fields, named, derived="it is known by what it is made of")
        return self._with(known={**(self.known or {}), **known})

    def making_anew(self: Update[I], read: I) -> Update[I]:
        """Make everything anew that is made of fields, as it follows from the item that was read and what this update
        sets; the update fails if those fields have changed since. For rows that another program wrote."""
        return self._knowing_inputs(read)._with(remake=True)

    def _knowing_inputs(self: Update[I], read: I) -> Update[I]:
        layout, changed = type(read).__layout__, {action.field for action in self.actions}
        inputs = {field for name in layout.derived_names() for field in layout.derived_from(name)}
        others = [name for name in layout.names if name in inputs and name not in changed]
        return self.knowing(*(Given(type(read), name, getattr(read, name)) for name in others))

    def unless_changed(
        self: Update[I], read: Item, attribute: AttributeOf[I, Any], *more: AttributeOf[I, Any]
    ) -> Update[I]:
        """Only if these attributes are still what they were when the item was read."""
        condition = _joined(self.condition, unchanged(self.key, read, (attribute, *more)))
        return self._with(condition=condition, meaning=self.meaning or changed_meanwhile(self.key))

    def next_version(self, read: Item) -> Update[I_co]:
        """Count the version() up, only if the stored version is still that of the item that was read."""
        condition = _joined(self.condition, same_version(self.key, read))
        changes = self._with(condition=condition, meaning=self.meaning or changed_meanwhile(self.key))
        counted = set_next_version(read)
        return changes.with_actions(*(each for each in self.actions if each.field != counted.field), counted)

    def otherwise(self, error: Exception | Callable[[I_co | None], Exception]) -> Update[I_co]:
        """The error that is raised if the condition fails, or a function that makes it from the stored item."""
        return self._with(meaning=error)

    def with_actions(self, *actions: Action[Any]) -> Update[I_co]:
        """Other actions on the same conditions."""
        for action in actions:
            _check_owner(self.key.item_type, action)
        return self._with(actions=actions)

    def _with(self, **changes: Any) -> Update[I_co]:
        update = object.__new__(Update)
        for name in ("key", "actions", "condition", "known", "meaning", "new", "remake"):
            object.__setattr__(update, name, changes[name] if name in changes else getattr(self, name))
        return update

    def request(self) -> requests.UpdateItem:
        """The request."""
        if not self.actions and not self.remake:
            raise ModelError(f"An update of {self.key.wire} that changes nothing: leave it out, or use a Check")
        actions = (*(action.action for action in self.actions), *derived_actions(self), *new_item_actions(self))
        update = UpdateTree(actions)
        if self.new and only_removes(update):
            raise ModelError(
                f"or_new() would make no {self.key.item_type.__name__}: DynamoDB creates no item for an update that "
                "only removes something. Set a field as well, or put the item"
            )
        return requests.UpdateItem(
            table=self.key.item_type.__table__.name,
            key=self.key.wire,
            update=update,
            condition=self._whole_condition(),
            on_failure=_failure_return(self.meaning),
        )

    def _whole_condition(self) -> ConditionTree | None:
        """The given condition, and those that keep the item readable: it exists, stays in bounds, and is as assumed."""
        terms: list[ConditionTree] = [] if self.new else [self.key.present().tree]
        asked = () if self.condition is None else _terms(self.condition)
        needed = (action.needs for action in self.actions if action.needs is not None)
        for term in (*asked, *needed, *known_conditions(self)):
            if term not in terms:
                terms.append(term)
        return None if not terms else terms[0] if len(terms) == 1 else And(tuple(terms))


Write = Put | Update | Delete | Check


@dataclass(frozen=True, slots=True)
class Transaction:
    """All of these writes, or none."""

    writes: tuple[Write, ...]
    token: str | None = None

    def __init__(self, *writes: Write, token: str | None = None) -> None:
        for write in writes:
            if not isinstance(write, Put | Update | Delete | Check):
                raise ModelError(
                    f"A transaction takes writes, one after the other, as in Transaction(Put(book)); not {write!r}"
                )
        object.__setattr__(self, "writes", writes)
        object.__setattr__(self, "token", token)

    def and_(self, *writes: Write) -> Transaction:
        """With more writes."""
        return Transaction(*self.writes, *writes, token=self.token)

    def request(self, actions: tuple[requests.TransactAction, ...] | None = None) -> requests.TransactWriteItems:
        """The request: of the writes' own requests, or others in their place."""
        if not self.writes:
            raise ModelError("A transaction without writes does nothing: leave it out")
        if len(self.writes) > limits.TRANSACTION_ACTIONS:
            raise TransactionTooLargeError(
                f"{len(self.writes)} writes; DynamoDB takes {limits.TRANSACTION_ACTIONS} in a transaction"
            )
        actions = actions or tuple(write.request() for write in self.writes)
        seen: set[tuple[Any, ...]] = set()
        for write, action in zip(self.writes, actions, strict=True):
            key = identity(action.table, write.key.wire)
            if key in seen:
                raise TransactionTooLargeError(f"Two writes on one item in a transaction: {write.key.wire}")
            seen.add(key)
        return requests.TransactWriteItems(actions=actions, token=self.token)


def identity(table: str, key: WireItem) -> tuple[Any, ...]:
    """What tells items apart: the table and the values of its key, which always come in the same order."""
    return table, *(next(iter(value.values())) for value in key.values())


def _check_key(what: str, key: object) -> None:
    if not isinstance(key, Key):
        raise ModelError(f"{what} takes a key, as in {what}(Book.key(…)) or {what}(book.own_key); not {key!r}")


def _check_owner(item_type: type[Item], action: object) -> None:
    if not isinstance(action, Action):
        raise ModelError(f"{action!r} is not an action: make one from an attribute, as in Book.title.set(…)")
    if action.owner is not item_type and not issubclass(item_type, action.owner):
        raise ModelError(f"{action.owner.__name__}.{action.field} is not an attribute of {item_type.__name__}")


def _terms(condition: ConditionTree) -> Iterator[ConditionTree]:
    """Everything that must hold, each for itself."""
    if isinstance(condition, And):
        for term in condition.terms:
            yield from _terms(term)
    else:
        yield condition


def _joined(first: ConditionTree | None, second: ConditionTree) -> ConditionTree:
    return second if first is None else And((first, second))


def _failure_return(meaning: Meaning | None) -> requests.FailureReturn:
    """Whether DynamoDB returns the item with a failed condition: a function that makes the error gets it."""
    return "NONE" if meaning is None or isinstance(meaning, Exception) else "ALL_OLD"
