"""Every page of fus and of the enablement portal."""

from __future__ import annotations

from tests.browser.every_page import EveryPage

ROOMS = ("fus", "enablement")


class TestEveryPage(EveryPage):
    """Of these rooms."""
