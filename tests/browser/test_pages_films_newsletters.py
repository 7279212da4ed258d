"""Every page of WorthWatch and of the newsletter generator."""

from __future__ import annotations

from tests.browser.every_page import EveryPage

ROOMS = ("worthwatch", "newsletter")


class TestEveryPage(EveryPage):
    """Of these rooms."""
