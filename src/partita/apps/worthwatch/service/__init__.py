"""The rules of WorthWatch, by noun: each part is a file of its own."""

from __future__ import annotations

from partita.apps.worthwatch.service.adoption import adoptions
from partita.apps.worthwatch.service.agreement import Agreements
from partita.apps.worthwatch.service.catalog import CatalogDesk
from partita.apps.worthwatch.service.comments import Comments
from partita.apps.worthwatch.service.copies import Copies
from partita.apps.worthwatch.service.curators import Curators
from partita.apps.worthwatch.service.diary import Diary
from partita.apps.worthwatch.service.discovery import Discovery
from partita.apps.worthwatch.service.finding import Finding
from partita.apps.worthwatch.service.follows import Follows
from partita.apps.worthwatch.service.items import Items
from partita.apps.worthwatch.service.leaving import Leaving
from partita.apps.worthwatch.service.lists import Lists
from partita.apps.worthwatch.service.log import Logs
from partita.apps.worthwatch.service.marks import Marks
from partita.apps.worthwatch.service.merging import Merging
from partita.apps.worthwatch.service.notices import Notices
from partita.apps.worthwatch.service.own_data import OwnData
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.pictures import Pictures
from partita.apps.worthwatch.service.ratings import Ratings
from partita.apps.worthwatch.service.reading import Reading
from partita.apps.worthwatch.service.reasons import Reasons
from partita.apps.worthwatch.service.reports import Reports
from partita.apps.worthwatch.service.saved import Saved
from partita.apps.worthwatch.service.sharing import Sharing
from partita.apps.worthwatch.service.shelves import Shelves
from partita.apps.worthwatch.service.suggestions import Suggestions
from partita.apps.worthwatch.service.titles import Titles
from partita.apps.worthwatch.service.tonight import Tonight
from partita.apps.worthwatch.service.transfer import Exporting, Imports
from partita.apps.worthwatch.service.transfer.applying import Applying
from partita.kit.kit import Kit


class WorthWatchService:
    """Everything that can be done."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.people = People(kit)
        self.titles = Titles(kit, self.people)
        self.lists = Lists(kit, self.people)
        self.items = Items(kit, self.lists, self.titles)
        self.curators = Curators(kit, self.people, self.lists)
        self.follows = Follows(kit, self.people, self.curators)
        self.agreements = Agreements(kit, self.curators)
        self.comments = Comments(kit, self.people, self.lists)
        self.reports = Reports(kit, self.people, self.lists, self.comments, self.curators)
        self.notices = Notices(kit, self.people, self.lists)
        self.logs = Logs(kit, self.people, self.lists)
        self.leaving = Leaving(kit, self.people)
        self.own_data = OwnData(kit, self.people)
        self.shelves = Shelves(kit, self.people, self.titles, self.lists)
        self.marks = Marks(kit, self.people, self.titles, self.lists)
        self.ratings = Ratings(kit, self.people, self.titles)
        self.diary = Diary(kit, self.people, self.titles, self.ratings)
        self.saved = Saved(kit, self.people, self.lists, self.items, self.shelves)
        self.reasons = Reasons(kit, self.people, self.lists)
        self.copies = Copies(kit, self.lists)
        self.discovery = Discovery(kit, self.people, self.lists)
        self.reading = Reading(kit, self.people, self.lists, self.items, self.shelves)
        self.sharing = Sharing(kit, self.people, self.lists, self.items, self.discovery)
        self.suggestions = Suggestions(kit, self.titles)
        self.finding = Finding(kit, self.people, self.lists, self.discovery, self.shelves)
        self.tonight = Tonight(kit, self.people, self.lists, self.shelves)
        self.exporting = Exporting(kit)
        applying = Applying(kit, self.copies, self.ratings)
        self.imports = Imports(kit, self.people, self.lists, self.items, applying)
        self.merging = Merging(kit, self.titles)
        self.pictures = Pictures(kit, self.people, self.titles, self.lists)
        self.catalog = CatalogDesk(kit, self.titles)
        self.adoptions = adoptions(kit, self.copies, self.ratings)
