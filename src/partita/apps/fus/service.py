"""The rules of fus, by noun: each part is a file of its own."""

from __future__ import annotations

from partita.apps.fus.browse import Browsing
from partita.apps.fus.comments import Comments
from partita.apps.fus.groups import Groups
from partita.apps.fus.people import People
from partita.apps.fus.ratings import Ratings
from partita.apps.fus.sites import Sites
from partita.apps.fus.transfer import Transfer
from partita.kit.kit import Kit


class FusService:
    """Everything that can be done."""

    def __init__(self, kit: Kit) -> None:
        people = People(kit.accounts)
        self.sites = Sites(kit)
        self.catalog = Browsing(kit, self.sites)
        self.ratings = Ratings(kit, people)
        self.comments = Comments(kit, people, self.sites)
        self.groups = Groups(kit, people)
        self.transfer = Transfer(kit, self.sites)
