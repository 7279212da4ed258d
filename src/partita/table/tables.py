"""Tables and indexes: names and types of keys, nothing about what is stored under them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from partita.dynamo.frozen import dataclass
from partita.table import settings
from partita.table.errors import SchemaError

if TYPE_CHECKING:
    from partita.table.items import Item
    from partita.table.patterns import Pattern

T = TypeVar("T")
KeyType = Literal["S", "N", "B"]
StreamView = Literal["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]


@dataclass(frozen=True, slots=True)
class KeyName:
    """An attribute of a key: its stored name and its type."""

    name: str
    type: KeyType = "S"


def number(name: str) -> KeyName:
    """A key attribute that is a number."""
    return KeyName(name, "N")


def binary(name: str) -> KeyName:
    """A key attribute that is binary."""
    return KeyName(name, "B")


Key = str | KeyName
"""A key attribute: a name alone is text."""


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """A secondary index of a table."""

    table: Table
    name: str
    pk: tuple[KeyName, ...]
    sk: tuple[KeyName, ...]
    local: bool
    projection: Literal["ALL", "KEYS_ONLY", "INCLUDE"]
    include: tuple[str, ...]
    shards: int
    spread: KeyName | None
    """The documented partition key, if `pk` holds it with a shard because there are several."""
    purpose: str
    replaces: tuple[str, ...] = ()
    """Names of earlier indexes that are deleted once this one can be used."""
    backfill: bool = False
    """Whether rows of before get the derived attributes of its key before it is added."""

    def __repr__(self) -> str:
        return f"{self.table.name}.{self.name}"

    @property
    def key_names(self) -> tuple[KeyName, ...]:
        """Every attribute of the index key."""
        return (*self.pk, *self.sk)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A finding of `partita check` that the schema's author knows of and lives with."""

    code: str
    subject: str
    reason: str


@dataclass(slots=True, eq=False)
class Table:
    """A table: its key, its settings, and what is declared on it."""

    name: str
    default_name: str
    """What it is called unless a setting says otherwise."""
    terraform_variable: str | None
    pk: KeyName
    sk: KeyName | None
    ttl: str | None
    stream: StreamView | None
    shards: int
    """Over how many partitions each value of the partition key is spread."""
    purpose: str
    names: Callable[[str], str] | None
    """How its item types spell attributes, if they do not say otherwise."""
    indexes: list[Index] = field(default_factory=list)
    item_types: list[type[Item]] = field(default_factory=list)
    patterns: list[Pattern] = field(default_factory=list)
    accepted: list[Accepted] = field(default_factory=list)

    def __init__(
        self,
        name: str,
        *,
        pk: Key,
        sk: Key | None = None,
        ttl: str | None = None,
        stream: StreamView | None = "NEW_AND_OLD_IMAGES",
        shards: int = 1,
        variable: str | None = None,
        terraform_variable: str | None = None,
        purpose: str = "",
        names: Callable[[str], str] | None = None,
    ) -> None:
        """Declare a table.

        `names` spells the attributes of its item types, as `names=camel_case`: `created_at` is stored as `createdAt`.
        With `shards`, or a setting that says so, each value of its partition key is spread over several partitions,
        told by the sort key, and reading merges them.
        `variable` is an environment variable that names it, `terraform_variable` one of Terraform's, if its document
        has them.
        """
        settings.check_name(name)
        self.name = settings.name_of(name, variable)
        self.default_name = name
        self.terraform_variable = terraform_variable
        self.pk = _key(pk)
        self.sk = None if sk is None else _key(sk)
        self.ttl = ttl
        self.stream = stream
        self.shards = settings.shards_of(name, None, shards)
        if not 1 <= self.shards <= 256:
            raise SchemaError(f"{self.name}: 1 to 256 shards, not {shards}")
        if self.shards > 1 and (self.sk is None or self.pk.type != "S"):
            raise SchemaError(f"{self.name}: a table is spread by its sort key, and its partition key must be text")
        self.purpose = purpose
        self.names = names
        self.indexes = []
        self.item_types = []
        self.patterns = []
        self.accepted = []

    def __repr__(self) -> str:
        return self.name

    @property
    def keys(self) -> tuple[KeyName, ...]:
        """The attributes of the table's key."""
        return (self.pk,) if self.sk is None else (self.pk, self.sk)

    def index(
        self,
        name: str,
        *,
        pk: Key | tuple[Key, ...],
        sk: Key | tuple[Key, ...] = (),
        projection: Literal["ALL", "KEYS_ONLY"] | tuple[str, ...] = "ALL",
        shards: int = 1,
        purpose: str = "",
        replaces: tuple[str, ...] = (),
        backfill: bool = False,
    ) -> Index:
        """Declare a global index; up to four attributes for each half of its key.

        With `shards`, or a setting that says so, each value of its partition key is spread over several partitions, and
        reading merges them. The spread key is an attribute of its own: the documented one stays as it is.

        An index cannot be changed. To let it hold more, or to give it another key, declare it under another name and
        name the earlier one in `replaces`: `store.create` adds the new one, waits until it is filled, and deletes the
        earlier one.

        `backfill`: when the index is added to a table that has rows, the derived attributes of its key are written into
        them first. Only for tables that no other program writes.
        """
        index = self._add(
            name, _keys(pk), _keys(sk), projection, shards, purpose, replaces=replaces, backfill=backfill, local=False
        )
        self._check_replaced()
        return index

    def local_index(
        self,
        name: str,
        *,
        sk: Key,
        projection: Literal["ALL", "KEYS_ONLY"] | tuple[str, ...] = "ALL",
        purpose: str = "",
    ) -> Index:
        """Declare a local index: the table's partition key and another sort key."""
        return self._add(name, (self.pk,), _keys(sk), projection, 1, purpose, local=True)

    def _add(
        self,
        name: str,
        pk: tuple[KeyName, ...],
        sk: tuple[KeyName, ...],
        projection: Literal["ALL", "KEYS_ONLY"] | tuple[str, ...],
        shards: int,
        purpose: str,
        *,
        replaces: tuple[str, ...] = (),
        backfill: bool = False,
        local: bool,
    ) -> Index:
        if any(index.name == name for index in self.indexes):
            raise SchemaError(f"{self.name} has an index {name} already")
        if not 1 <= len(pk) <= 4 or len(sk) > 4:
            raise SchemaError(f"{self.name}.{name}: an index key has one to four attributes, and up to four to sort by")
        if not local:
            shards = settings.shards_of(self.default_name, name, shards)
        if not 1 <= shards <= 256:
            raise SchemaError(f"{self.name}.{name}: 1 to 256 shards, not {shards}")
        if shards > 1 and self.item_types:
            raise SchemaError(f"{self.name}.{name}: declare an index with shards before the items it spreads")
        if isinstance(projection, str) and projection not in ("ALL", "KEYS_ONLY"):
            raise SchemaError(
                f'{self.name}.{name}: the projection {projection!r} is none: give "ALL", "KEYS_ONLY", or the stored '
                'names of what it holds, as in ("title", "addedAt")'
            )
        include = () if isinstance(projection, str) else projection
        spread = pk[0] if shards > 1 else None
        if spread is not None:
            pk = (KeyName(f"{name}_shard"), *pk[1:])
            if projection != "ALL":
                include = (*include, spread.name)  # what was in the index as its key still is
        index = Index(
            table=self,
            name=name,
            pk=pk,
            sk=sk,
            local=local,
            projection="INCLUDE" if include else "ALL" if projection == "ALL" else "KEYS_ONLY",
            include=include,
            shards=shards,
            spread=spread,
            purpose=purpose,
            replaces=replaces,
            backfill=backfill,
        )
        for item_type in self.item_types:
            for key in index.key_names:
                item_type.__layout__.check_key_type(key, f"{item_type.__name__}: {index!r}")
        self.indexes.append(index)
        return index

    def _check_replaced(self) -> None:
        replaced = [name for index in self.indexes for name in index.replaces]
        for name in replaced:
            if replaced.count(name) > 1 or any(index.name == name for index in self.indexes):
                raise SchemaError(
                    f"{self.name}: the index {name} is replaced, so it cannot be declared or replaced again"
                )

    def accept(self, code: str, *subjects: Index | type[Item] | Callable[..., Any], because: str) -> None:
        """Live with a finding of `partita check` about indexes, item types or access patterns, and say why."""
        names = [subject.name if isinstance(subject, Index) else subject.__name__ for subject in subjects]
        self.accepted += [Accepted(code, name, because) for name in names]


def _key(key: Key) -> KeyName:
    return KeyName(key) if isinstance(key, str) else key


def _keys(keys: Key | tuple[Key, ...]) -> tuple[KeyName, ...]:
    return tuple(map(_key, keys)) if isinstance(keys, tuple) else (_key(keys),)


def order_by_module(declared: list[T], module: Callable[[T], str]) -> None:
    """What several modules declare for one table: that of its own module first, then by the modules' names. Which of
    them was imported first must not be seen on any page."""
    own = module(declared[0])
    declared.sort(key=lambda each: (module(each) != own, module(each)))
