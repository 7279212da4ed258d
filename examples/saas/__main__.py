"""Two tenants in one table, on an engine that is gone afterwards: `python -m examples.saas`."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from partita.engine import Engine
from partita.store import EmbeddedStore, Store
from partita.table import KeyPartError

from .program import Refused, bill, caller, count, found, invite, make_api_key, record, revoke, sign_in, signed_in
from .schema import SAAS, USAGE, User, events_by, events_of, user, users_of

MAY_1 = date(2026, 5, 1)
MORNING = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)


def story(store: EmbeddedStore) -> None:
    """What happens, in order."""
    found(store, "acme", "Acme Ltd", seats=2, owner="ada")
    found(store, "zenith", "Zenith & Co", seats=5, owner="ada")
    invite(store, "acme", "ben")
    try:
        invite(store, "acme", "cleo")
    except Refused as no:
        print("Cleo cannot come:", no)
    print("Users of acme:", [each.user_id for each in store.page(users_of("acme"))])

    for number in range(4):
        record(store, "acme", "ada", f"report {number}", MORNING + number * timedelta(hours=10))
        record(store, "zenith", "ada", f"secret plan {number}", MORNING + number * timedelta(hours=10))
    print("Acme on 1 May:", [event.what for event in store.page(events_of("acme", MAY_1))])
    print("Acme in that week:", [event.what for event in store.page(events_of("acme", MAY_1, days=7))])
    print("Acme's ada, last:", store.page(events_by("acme", "ada"), limit=1).items[0].what)
    for name in ("acme#USER#ada", "zenith"):
        try:
            print("As", name, "one sees", [event.what for event in store.page(events_by(name, "eve"))])
        except KeyPartError as no:
            print("No:", str(no)[:60], "…")

    ada = _known(store, "acme", "ada")
    now = datetime.now(UTC)
    secret = sign_in(store, ada, now)
    print("The browser is", signed_in(store, secret).user_id, "of", signed_in(store, secret).tenant_id)
    tomorrow = EmbeddedStore(store.engine, clock=lambda: (now + timedelta(days=1)).timestamp())
    try:
        signed_in(tomorrow, secret)
    except Refused as no:
        print("A day later:", no)

    key = caller(store, make_api_key(store, ada, "nightly"))
    try:
        revoke(store, "zenith", key)
    except Refused as no:
        print("No:", no)
    for _ in range(1000):
        count(store, "acme", "calls", 1, MAY_1)
    count(store, "acme", "bytes", 123_456, MAY_1)
    for (day, meter), amount in sorted(bill(store, "acme", MAY_1, MAY_1).items()):
        print(f"{day}: {amount:,} {meter}")


def _known(store: Store, tenant_id: str, user_id: str) -> User:
    known = store.get(user(tenant_id, user_id))
    assert known is not None
    return known


if __name__ == "__main__":
    with Engine.temporary() as engine:
        service = EmbeddedStore(engine)
        service.create(SAAS, USAGE)
        story(service)
