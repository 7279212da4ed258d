"""The modelling layer: a design document, executable."""

from partita.table.actions import Action
from partita.table.aggregates import Aggregate
from partita.table.attributes import Attribute, AttributeOf, Given
from partita.table.conditions import Condition, all_of, any_of, not_
from partita.table.cursors import CursorKeys
from partita.table.declarations import attribute, derived, key_part
from partita.table.errors import (
    ChangedMeanwhileError,
    ForeignItemError,
    InvalidCursorError,
    InvalidValueError,
    ItemTooLargeError,
    KeyPartError,
    LostValueError,
    ModelError,
    NoFileStoreError,
    SchemaError,
    StaleKeyError,
    TableDiffersError,
    TransactionTooLargeError,
)
from partita.table.guards import Guard
from partita.table.items import Item, as_is, camel_case
from partita.table.markers import dropped_files
from partita.table.patterns import Pattern, access_pattern
from partita.table.queries import BatchGet, Get, Query, collection, projected
from partita.table.steps import Page
from partita.table.tables import Index, KeyName, Table, binary, number
from partita.table.versions import version
from partita.table.writes import Check, Delete, Key, Put, Transaction, Update, Write

__all__ = [
    "Action",
    "Aggregate",
    "Attribute",
    "AttributeOf",
    "BatchGet",
    "ChangedMeanwhileError",
    "Check",
    "Condition",
    "CursorKeys",
    "Delete",
    "ForeignItemError",
    "Get",
    "Given",
    "Guard",
    "Index",
    "InvalidCursorError",
    "InvalidValueError",
    "Item",
    "ItemTooLargeError",
    "Key",
    "KeyName",
    "KeyPartError",
    "LostValueError",
    "ModelError",
    "NoFileStoreError",
    "Page",
    "Pattern",
    "Put",
    "Query",
    "SchemaError",
    "StaleKeyError",
    "Table",
    "TableDiffersError",
    "Transaction",
    "TransactionTooLargeError",
    "Update",
    "Write",
    "access_pattern",
    "all_of",
    "any_of",
    "as_is",
    "attribute",
    "binary",
    "camel_case",
    "collection",
    "derived",
    "dropped_files",
    "key_part",
    "not_",
    "number",
    "projected",
    "version",
]
