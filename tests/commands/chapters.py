"""A schema whose items have values too large for a row, for commands to read."""

from partita.table import Attribute, Item, Table, attribute, derived, key_part

CHAPTERS = Table("chapters", pk="PK", sk="SK")


class Chapter(Item, table=CHAPTERS, pk="BOOK#{isbn}", sk="CHAPTER#{number:04}"):
    isbn: Attribute[str] = key_part()
    number: Attribute[int] = key_part()
    title: Attribute[str] = attribute(default="", max_length=100)
    text: Attribute[str] = attribute(default="", large=True)
    heading: Attribute[str] = derived(lambda number, title: f"{number}. {title}")
