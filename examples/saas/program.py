"""What people and programs do in the service. Who gets in is told by a secret, and from then on the tenant is known."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from random import randrange
from secrets import token_urlsafe
from typing import Literal

from partita.store import Store
from partita.table import Delete, Put, Transaction, Update
from partita.table.types import expires_in

from .schema import ApiKey, Event, Session, Tenant, Usage, User, api_key, session, usage_of

STAY = timedelta(hours=12)
SLOTS = 16


class Refused(Exception):
    """The service says no, and why."""


def found(store: Store, tenant_id: str, name: str, seats: int, owner: str) -> None:
    """A new tenant with its first user."""
    new = Put(Tenant(tenant_id=tenant_id, name=name, free_seats=seats - 1)).if_new()
    first = Put(User(tenant_id=tenant_id, user_id=owner, role="owner"))
    store.transact(Transaction(new.otherwise(Refused(f"there is a tenant {tenant_id} already")), first))


def invite(store: Store, tenant_id: str, user_id: str) -> None:
    """One more user, where a seat is free: that there are never fewer than none is a condition of the update."""
    new = Put(User(tenant_id=tenant_id, user_id=user_id)).if_new().otherwise(Refused(f"{user_id} is here already"))
    seat = Update(Tenant.key(Tenant.tenant_id(tenant_id)), Tenant.free_seats.add(-1))
    store.transact(Transaction(new, seat.otherwise(Refused(f"{tenant_id} has no free seat"))))


def record(store: Store, tenant_id: str, user_id: str, what: str, now: datetime) -> Event:
    """Somebody did something."""
    event = Event(tenant_id=tenant_id, at=now, no=token_urlsafe(6), user_id=user_id, what=what)
    store.write(Put(event).if_new())
    return event


def sign_in(store: Store, user: User, now: datetime) -> str:
    """A secret for a browser; the table has only its hash."""
    secret = token_urlsafe()
    until = expires_in(STAY, now)
    store.write(
        Put(
            Session(
                secret_hash=_hash(secret), tenant_id=user.tenant_id, user_id=user.user_id, since=now, expires_at=until
            )
        )
    )
    return secret


def signed_in(store: Store, secret: str) -> Session:
    """Whose session it is. One that has expired is none, also before DynamoDB has deleted it."""
    known = store.get(session(_hash(secret)))
    if known is None:
        raise Refused("sign in first")
    return known


def make_api_key(store: Store, user: User, label: str) -> str:
    """A secret for a program."""
    secret = f"key-{token_urlsafe()}"
    made = ApiKey(secret_hash=_hash(secret), tenant_id=user.tenant_id, user_id=user.user_id, label=label)
    store.write(Put(made).if_new())
    return secret


def caller(store: Store, secret: str) -> ApiKey:
    """Whose program it is, and one more call on that tenant's bill."""
    known = store.get(api_key(_hash(secret)))
    if known is None:
        raise Refused("no such key")
    count(store, known.tenant_id, "calls", 1, datetime.now(UTC).date())
    return known


def revoke(store: Store, tenant_id: str, key: ApiKey) -> None:
    """An API key is over. A tenant can end its own and no other, whatever key it comes with."""
    gone = Delete(key.own_key).when(ApiKey.tenant_id.equals(tenant_id))
    store.write(gone.otherwise(Refused(f"{tenant_id} has no such key")))


def count(store: Store, tenant_id: str, meter: Literal["calls", "bytes"], amount: int, day: date) -> None:
    """Count at any rate: one of sixteen items takes it, made where it is not there yet."""
    slot = Usage.slot(randrange(SLOTS))
    key = Usage.key(Usage.tenant_id(tenant_id), Usage.day(day), Usage.meter(meter), slot)
    store.write(Update(key, Usage.amount.add(amount)).or_new())


def bill(store: Store, tenant_id: str, first: date, last: date) -> Counter[tuple[date, str]]:
    """What a tenant used on each day."""
    used: Counter[tuple[date, str]] = Counter()
    for part in store.stream(usage_of(tenant_id, first, last)):
        used[part.day, part.meter] += part.amount
    return used


def _hash(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
