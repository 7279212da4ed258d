"""A small schema for commands to read."""

from partita.table import Attribute, Item, Query, Table, access_pattern, attribute, derived, key_part

SHELF = Table("shelf", pk="PK", sk="SK")
BY_STATE = SHELF.index("byState", pk="state")


class Book(Item, table=SHELF, pk="READER#{reader}", sk="BOOK#{isbn}"):
    reader: Attribute[str] = key_part()
    isbn: Attribute[str] = key_part()
    title: Attribute[str] = attribute(min_length=1)
    read: Attribute[bool] = attribute(default=False)
    state: Attribute[str] = derived(lambda read: "read" if read else "waiting")


@access_pattern("Books of a state", SHELF, state="read")
def books(state: str) -> Query[Book]:
    return Book.query(BY_STATE, Book.state(state))
