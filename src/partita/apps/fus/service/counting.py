"""A site's numbers of ratings and comments. What was never counted up is never counted down.

A rating or a comment itself says whether it was counted. If it was, but the site's numbers do not contain it because
another program has overwritten the site, the numbers stay as they are: nothing below zero is ever written.
"""

from __future__ import annotations

from collections.abc import Callable

from partita.apps.fus.schema import STARS, Site
from partita.kit.problems import NotFound
from partita.table import Check, Update


class NeverCounted(Exception):
    """The site is there, and its numbers do not contain what was to be subtracted."""


def no_such_site(site_id: str) -> NotFound:
    return NotFound(f"There is no site {site_id[:80]!r}. It may have been deleted.")


def stars(site_id: str, before: int | None, after: int | None) -> Update[Site] | Check[Site]:
    """A rating comes (from None), changes, or goes (to None); if nothing changes, the site must still be there."""
    site = Site.key(Site.site_id(site_id))
    change = STARS.change(before, after)
    if not change:
        return Check(site, site.present()).otherwise(no_such_site(site_id))
    update = Update(site, *change)
    if before is not None:
        for condition in (Site.rating_count >= 1, Site.rating_sum >= before, STARS.histogram[before] >= 1):
            update = update.when(condition)
    return update.otherwise(_not_counted(site_id))


def one_more_comment(site_id: str) -> Update[Site]:
    """Count a new comment."""
    return Update(Site.key(Site.site_id(site_id)), Site.comment_count.add(1)).otherwise(no_such_site(site_id))


def one_comment_less(site_id: str) -> Update[Site]:
    """Subtract a comment that was counted."""
    fewer = Update(Site.key(Site.site_id(site_id)), Site.comment_count.add(-1)).when(Site.comment_count >= 1)
    return fewer.otherwise(_not_counted(site_id))


def _not_counted(site_id: str) -> Callable[[Site | None], Exception]:
    return lambda there: no_such_site(site_id) if there is None else NeverCounted(site_id)
