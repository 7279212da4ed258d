"""The rules of the enablement portal, a part for each noun."""

from __future__ import annotations

from partita.apps.enablement.service.changing import Changing
from partita.apps.enablement.service.clock import ContentClock
from partita.apps.enablement.service.content import Contents
from partita.apps.enablement.service.files import PortalFiles
from partita.apps.enablement.service.history import History
from partita.apps.enablement.service.lifecycle import Lifecycle
from partita.apps.enablement.service.proposals import Proposals
from partita.apps.enablement.service.texts import Texts
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
