"""Every page of the house itself and of Kelifax."""

from __future__ import annotations

from tests.browser.every_page import EveryPage
from tests.browser.places import HOUSE

ROOMS = (HOUSE, "kelifax")


class TestEveryPage(EveryPage):
    """Of these rooms."""
