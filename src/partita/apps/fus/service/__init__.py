"""The rules of fus, by noun: each part is a file of its own."""

from __future__ import annotations

from partita.apps.fus.service.adoption import adoptions
from partita.apps.fus.service.batches import Batches
from partita.apps.fus.service.catalog import Catalog
from partita.apps.fus.service.collections import Collections
from partita.apps.fus.service.comments import Comments
from partita.apps.fus.service.copies import Copies
from partita.apps.fus.service.fetching import Fetching
from partita.apps.fus.service.grants import GroupGrants
from partita.apps.fus.service.groups import Groups
from partita.apps.fus.service.history import SiteHistory
from partita.apps.fus.service.links import Links
from partita.apps.fus.service.mine import Mine
from partita.apps.fus.service.my_data import MyData
from partita.apps.fus.service.people import People
from partita.apps.fus.service.profiles import Profiles
from partita.apps.fus.service.ratings import Ratings
from partita.apps.fus.service.related import Related
from partita.apps.fus.service.sharing import Sharing
from partita.apps.fus.service.sites import Sites
from partita.apps.fus.service.suggestions import Suggestions
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
        self.suggestions = Suggestions(kit, people, self.sites)
        self.collections = Collections(kit, people, self.sites)
        self.profiles = Profiles(kit, self.sites)
        self.my_data = MyData(kit, self.sites)
        self.related = Related(kit, self.sites)
        self.copies = Copies(kit, self.sites)
        self.links = Links(kit, self.sites)
        self.batches = Batches(kit, self.sites)
        self.adoptions = adoptions(kit.store)
