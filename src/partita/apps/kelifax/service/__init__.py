"""The rules of Kelifax, a part for each noun."""

from __future__ import annotations

from partita.apps.kelifax.service.analytics import Analytics
from partita.apps.kelifax.service.filling import Filling
from partita.apps.kelifax.service.liked import Liked
from partita.apps.kelifax.service.links import Links
from partita.apps.kelifax.service.logos import Logos
from partita.apps.kelifax.service.mine import Mine
from partita.apps.kelifax.service.moderation import Moderation
from partita.apps.kelifax.service.reports import Reports
from partita.apps.kelifax.service.resources import Resources
from partita.apps.kelifax.service.sharing import Sharing
from partita.apps.kelifax.service.submissions import Submissions
from partita.apps.kelifax.service.transfer import Transfer
from partita.apps.kelifax.service.views import Views
from partita.apps.kelifax.service.visits import Visits
from partita.kit.kit import Kit


class KelifaxService:
    """Everything that can be done in Kelifax."""

    def __init__(self, kit: Kit) -> None:
        self.resources = Resources(kit)
        self.liked = Liked(kit, self.resources)
        self.sharing = Sharing(kit, self.resources)
        self.submissions = Submissions(kit)
        self.mine = Mine(kit, self.submissions, self.liked)
        self.filling = Filling(kit)
        self.moderation = Moderation(kit, self.resources)
        self.reports = Reports(kit, self.resources)
        self.analytics = Analytics(kit)
        self.links = Links(kit, self.resources)
        self.logos = Logos(kit)
        self.transfer = Transfer(kit, self.resources, self.submissions)
        self.views = Views(kit)
        self.visits = Visits(self.views.count)
