"""The rules of WorthWatch, by noun: each part is a file of its own."""

from __future__ import annotations

from partita.apps.worthwatch.service.items import Items
from partita.apps.worthwatch.service.lists import Lists
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.titles import Titles
from partita.kit.kit import Kit


class WorthWatchService:
    """Everything that can be done."""

    def __init__(self, kit: Kit) -> None:
        self.people = People(kit)
        self.titles = Titles(kit, self.people)
        self.lists = Lists(kit, self.people)
        self.items = Items(kit, self.lists, self.titles)
