"""The rules of the enablement portal, a part for each noun."""

from __future__ import annotations

from partita.apps.enablement.service.adoption import adoptions
from partita.apps.enablement.service.analytics import Analytics
from partita.apps.enablement.service.attachments import Attachments
from partita.apps.enablement.service.bulk import Bulk
from partita.apps.enablement.service.changing import Changing
from partita.apps.enablement.service.clock import SWEEP, ContentClock
from partita.apps.enablement.service.collections import Collections
from partita.apps.enablement.service.content import Contents
from partita.apps.enablement.service.counting import Counting
from partita.apps.enablement.service.desks import Desks
from partita.apps.enablement.service.events import Events
from partita.apps.enablement.service.fanouts import Fanouts
from partita.apps.enablement.service.files import PortalFiles
from partita.apps.enablement.service.follows import Follows
from partita.apps.enablement.service.history import History
from partita.apps.enablement.service.imports import Imports
from partita.apps.enablement.service.inbox import Notifications
from partita.apps.enablement.service.library import Library
from partita.apps.enablement.service.lifecycle import Lifecycle
from partita.apps.enablement.service.previews import Previews
from partita.apps.enablement.service.products import ProductList
from partita.apps.enablement.service.proposals import Proposals
from partita.apps.enablement.service.reading import Reading
from partita.apps.enablement.service.removal import Removals
from partita.apps.enablement.service.reports import Reports
from partita.apps.enablement.service.shelves import Shelves
from partita.apps.enablement.service.shown import Showing
from partita.apps.enablement.service.subscriptions import Subscriptions
from partita.apps.enablement.service.summaries import Summaries
from partita.apps.enablement.service.texts import Texts
from partita.apps.enablement.service.transfers import Transfers
from partita.apps.enablement.service.views import ViewList
from partita.apps.enablement.service.votes import Votes
from partita.kit.kit import Kit


class EnablementService:
    """Everything that can be done in the portal."""

    def __init__(self, kit: Kit) -> None:
        self.changing = Changing(kit)
        self.texts = Texts(kit)
        self.files = PortalFiles(kit, self.texts)
        self.proposals = Proposals(kit, self.changing)
        self.content = Contents(kit, self.changing, self.proposals, self.texts)
        self.lifecycle = Lifecycle(kit, self.changing, self.proposals)
        self.history = History(kit, self.changing, self.texts)
        self.clock = ContentClock(kit, self.changing, self.lifecycle)
        self.desks = Desks(kit, self.changing)
        self.fanouts = Fanouts(kit, self.clock)
        self.follows = Follows(kit, self.changing)
        self.notifications = Notifications(kit)
        self.subscriptions = Subscriptions(kit)
        self.attachments = Attachments(kit, self.changing, self.content, self.texts)
        self.clock.handle(SWEEP, self.attachments.sweep)
        self.showing = Showing(kit)
        self.previews = Previews(kit, self.content, self.history, self.showing, self.texts)
        self.library = Library(kit, self.content, self.showing, self.previews)

        # Use and numbers
        self.events = Events(kit, self.content)
        self.attachments.on_download = self.events.downloaded
        self.counting = Counting(kit)
        self.summaries = Summaries(kit)
        self.views = ViewList(kit)
        self.shelves = Shelves(kit, self.library, self.summaries)
        self.analytics = Analytics(kit, self.changing, self.summaries)
        self.votes = Votes(kit, self.changing)
        self.reports = Reports(kit, self.changing, self.fanouts)
        self.reading = Reading(kit, self.changing, self.fanouts)
        self.collections = Collections(kit, self.changing)
        self.products = ProductList(kit)

        # Bringing in and handing over
        self.imports = Imports(
            *(kit, self.changing, self.content, self.lifecycle),
            *(self.texts, self.fanouts, self.products),
        )
        self.removals = Removals(kit, self.changing, self.files, self.fanouts)
        self.transfers = Transfers(kit, self.lifecycle, self.fanouts)
        self.bulk = Bulk(kit, self.lifecycle, self.fanouts)
        self.adoptions = adoptions(kit, self.subscriptions)
