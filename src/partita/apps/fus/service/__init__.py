"""The rules of fus, by noun: each part is a file of its own."""

from __future__ import annotations

from partita.apps.fus.service.adoption import adoptions
from partita.apps.fus.service.catalog import Catalog
from partita.apps.fus.service.comments import Comments
from partita.apps.fus.service.fetching import Fetching
from partita.apps.fus.service.grants import GroupGrants
from partita.apps.fus.service.groups import Groups
from partita.apps.fus.service.history import SiteHistory
from partita.apps.fus.service.mine import Mine
from partita.apps.fus.service.people import People
from partita.apps.fus.service.ratings import Ratings
from partita.apps.fus.service.sharing import Sharing
from partita.apps.fus.service.sites import Sites
from partita.apps.fus.service.transfer import Transfer
from partita.kit.kit import Kit


class FusService:
    """Everything that can be done."""

    def __init__(self, kit: Kit) -> None:
        people = People(kit.accounts)
        self.sites = Sites(kit)
        self.history = SiteHistory(kit)
        self.catalog = Catalog(kit, self.sites)
        self.sharing = Sharing(kit, self.catalog)
        self.ratings = Ratings(kit, people, self.sites)
        self.comments = Comments(kit, people, self.sites, self.ratings)
        self.mine = Mine(kit, self.sites)
        self.groups = Groups(kit, people)
        self.grants = GroupGrants(kit)
        self.fetching = Fetching(kit)
        self.transfer = Transfer(kit, self.sites, self.fetching)
        self.adoptions = adoptions(kit.store)
