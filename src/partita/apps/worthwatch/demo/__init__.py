"""Demo data: a platform in use, written by the same kinds of transactions as people's own data."""

from __future__ import annotations

import secrets

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.demo.catalog import load_lists, load_people, load_titles
from partita.apps.worthwatch.demo.doings import (
    load_applications,
    load_comments,
    load_imports,
    load_ratings,
    load_reports,
    load_shelves,
    suspend,
)
from partita.apps.worthwatch.demo.moments import Demo
from partita.apps.worthwatch.demo.tastes import demo_ratings
from partita.apps.worthwatch.demo.texts import demo_texts
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.kit import Kit

_TO_SIGN_IN_AS = {"teodora": "a member", "adabrandvold": "a curator", "sigrun": "an admin"}


async def fill(service: WorthWatchService, kit: Kit) -> str:
    """Fill an empty platform; tells what was added, and how to sign in as some of its people."""
    if await kit.store.first(schema.all_movies()) is not None:
        return "WorthWatch: nothing added, since there are films already."
    texts = demo_texts()
    password = secrets.token_urlsafe(12)
    demo = Demo(kit, texts)
    await load_people(demo, password)
    await load_titles(demo)
    await load_lists(demo)
    ratings = demo_ratings(texts.titles, texts.people, texts.reviews)
    await load_ratings(demo, ratings)
    await load_shelves(demo)
    await load_comments(demo)
    await load_applications(demo)
    await load_imports(demo, service)
    await load_reports(demo)
    await suspend(demo, service)
    report = (
        f"WorthWatch: added {len(texts.titles)} titles, {len(texts.lists)} lists, {len(texts.people)} people, "
        f"{len(ratings):,} ratings and {len(texts.comments)} comments."
    )
    if kit.settings.sign_up:
        people = ", ".join(f"{username} ({what})" for username, what in _TO_SIGN_IN_AS.items())
        report += f" Sign in as {people} with the password {password}"
    return report
