"""People who write to a served suite, and what must be true of the counters of fus after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from partita.apps.fus.schema import Rating, Site, SiteTag, TagTotal
from partita.bootstrap import build
from partita.kit.clock import SystemClock, stamp
from partita.kit.settings import Settings
from partita.store import Store
from partita.table import Put

_PASSWORD = "correct horse battery"


async def prepared(
    data: Path, systems: tuple[str, ...], roles: Mapping[str, str]
) -> tuple[dict[str, tuple[str, str]], str]:
    """Accounts with tokens in a new data folder, and a site that all rate: name → user id and token; the site's id."""
    suite = build(Settings(data=data, systems=systems, fetch=False))
    accounts = suite.kit.accounts
    people = {}
    try:
        for name, role in roles.items():
            person = await accounts.registration.create(name, f"{name}@example.org", name.title(), _PASSWORD)
            await accounts.administration.set_roles(accounts.operator(), person.user_id, [role])
            session = await accounts.sessions.sign_in(name, _PASSWORD)
            viewer = await accounts.recognition.from_session(session.token)
            token = await accounts.tokens.create(viewer, "writes", viewer.permissions, 1)
            people[name] = person.user_id, token.text
        now = stamp(SystemClock())
        shared = Site(
            site_id="shared", url="https://shared.example.org", title="Shared", created_at=now, updated_at=now
        )
        await suite.kit.store.write(Put(shared))
    finally:
        await suite.close()
    return people, shared.site_id


def counters_equal_a_count(store: Store, shared: str) -> None:
    """Of the site that all rate, and of tags."""
    site = store.get(Site.get(Site.site_id(shared)))
    assert site is not None
    given = Counter(each.stars for each in store.scan_whole_table(Rating))
    assert site.rating_histogram == tuple(given[stars] for stars in range(1, 6))
    total = sum(stars * count for stars, count in given.items())
    assert (site.number_of_ratings, site.rating_sum or 0) == (given.total(), total)
    tags = Counter(each.tag for each in store.scan_whole_table(SiteTag))
    assert {each.tag: each.count for each in store.scan_whole_table(TagTotal) if each.count} == tags
    assert tags == Counter(tag for each in store.scan_whole_table(Site) for tag in each.tags)
