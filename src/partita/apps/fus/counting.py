"""What a site knows of its ratings and comments. What was never counted up is never counted down.

A rating or a comment says itself whether it was counted. Where it says so and the site does not know it, because
another program wrote over the site, the site's numbers stay as they are: nothing below zero is ever written.
"""

from __future__ import annotations

from collections.abc import Callable

from partita.apps.fus.schema import STARS, Site
from partita.kit.problems import NotFound
from partita.table import Check, Update


class NeverCounted(Exception):
    """The site is there, and its numbers do not hold what was to be taken out of them."""


def unknown(site_id: str) -> NotFound:
    """There is no such site."""
    return NotFound(f"There is no site {site_id[:80]!r}. It may have been removed.")


def stars(site_id: str, before: int | None, after: int | None) -> Update[Site] | Check[Site]:
    """A rating comes (from None), changes, or goes (to None); where nothing changes, the site must be there."""
    site = Site.key(Site.site_id(site_id))
    change = STARS.change(before, after)
    if not change:
        return Check(site, site.present()).otherwise(unknown(site_id))
    update = Update(site, *change)
    if before is not None:
        held = (Site.rating_count >= 1, Site.rating_sum >= before, STARS.histogram[before] >= 1)
        for condition in held:
            update = update.when(condition)
    return update.otherwise(_missed(site_id))


def one_more_comment(site_id: str) -> Update[Site]:
    """A comment comes."""
    return Update(Site.key(Site.site_id(site_id)), Site.comment_count.add(1)).otherwise(unknown(site_id))


def one_comment_less(site_id: str) -> Update[Site]:
    """A comment that was counted goes."""
    fewer = Update(Site.key(Site.site_id(site_id)), Site.comment_count.add(-1)).when(Site.comment_count >= 1)
    return fewer.otherwise(_missed(site_id))


def _missed(site_id: str) -> Callable[[Site | None], Exception]:
    return lambda there: unknown(site_id) if there is None else NeverCounted(site_id)
