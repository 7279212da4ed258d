"""A service with many tenants: their users, what they do, what they use, and how they get in.

Nothing is between tenants, and that is not a matter of care:
- every key begins with the tenant, or is a secret that says whose it is (a session, an API key);
- every question takes a tenant first, and reads one partition, which is that tenant's alone;
- a name that holds the text between two parts of a key is refused, so `acme#USER#ada` is nobody's way into `acme`.

Users, events and secrets are one table, with one index that turns secrets and events around to their user. What is
counted thousands of times a second has a table of its own, whose partitions are spread, and merged when they are read.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from partita.table import Attribute, Get, Item, Query, Table, access_pattern, attribute, camel_case, key_part
from partita.table.types import ExpiresAt

SAAS = Table("saas", pk="PK", sk="SK", names=camel_case, ttl="expiresAt", purpose="Tenants and all that is theirs.")
BY_USER = SAAS.index("byUser", pk="GSI1PK", sk="GSI1SK", purpose="Events, sessions and API keys of a user")
USAGE = Table("saas-usage", pk="PK", sk="SK", names=camel_case, shards=4, purpose="What tenants use, at any rate.")

OF_USER = "TENANT#{tenant_id}#USER#{user_id}"
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$"), Field(examples=["0" * 64])]
"""Of a secret that only its owner has: who reads the table gets in nowhere."""


# 1. Tenant: a customer of the service, with so many seats.
class Tenant(Item, table=SAAS, pk="TENANT#{tenant_id}", sk="TENANT"):
    """A company, a club, a family."""

    tenant_id: Attribute[str] = key_part()
    name: Attribute[str] = attribute(max_length=200)
    free_seats: Attribute[int] = attribute(ge=0)
    """How many users may still come; it cannot fall below zero, so nobody takes a seat that is not there."""


@access_pattern("A tenant", SAAS, tenant_id="acme")
def tenant(tenant_id: str) -> Get[Tenant]:
    return Tenant.get(Tenant.tenant_id(tenant_id))


# 2. User: somebody of a tenant. Two tenants may both have an `ada`.
class User(Item, table=SAAS, pk="TENANT#{tenant_id}", sk="USER#{user_id}"):
    """Somebody who may get in."""

    tenant_id: Attribute[str] = key_part()
    user_id: Attribute[str] = key_part()
    role: Attribute[Literal["owner", "member"]] = attribute(default="member")


@access_pattern("A user", SAAS, tenant_id="acme", user_id="ada")
def user(tenant_id: str, user_id: str) -> Get[User]:
    return User.get(User.tenant_id(tenant_id), User.user_id(user_id))


@access_pattern("Users of a tenant", SAAS, tenant_id="acme")
def users_of(tenant_id: str) -> Query[User]:
    return User.query(User.tenant_id(tenant_id))


# 3. Event: what happened in a tenant, in the order of time.
class Event(
    Item, table=SAAS, pk="TENANT#{tenant_id}", sk="EVENT#{at}#{no}", keys={"GSI1PK": OF_USER, "GSI1SK": "EVENT#{at}"}
):
    """Somebody did something."""

    tenant_id: Attribute[str] = key_part()
    at: Attribute[datetime] = key_part()
    no: Attribute[str] = key_part()
    """Tells events of one moment apart."""
    user_id: Attribute[str]
    what: Attribute[str] = attribute(max_length=500)


@access_pattern("Events of a tenant on some days, oldest first", SAAS, tenant_id="acme", first=date(2026, 5, 1), days=7)
def events_of(tenant_id: str, first: date, days: int = 1) -> Query[Event]:
    start = datetime.combine(first, time(), UTC)
    return Event.query(Event.tenant_id(tenant_id)).at_least(Event.at(start)).before(Event.at(start + timedelta(days)))


@access_pattern("What a user did, newest first", SAAS, tenant_id="acme", user_id="ada")
def events_by(tenant_id: str, user_id: str) -> Query[Event]:
    return Event.query(BY_USER, Event.tenant_id(tenant_id), Event.user_id(user_id)).newest_first()


# 4. Session: found by the hash of its secret; gone when its time has come, read or not.
class Session(
    Item, table=SAAS, pk="SESSION#{secret_hash}", sk="SESSION", keys={"GSI1PK": OF_USER, "GSI1SK": "SESSION#{since}"}
):
    """A user is in."""

    secret_hash: Attribute[Hash] = key_part()
    tenant_id: Attribute[str]
    user_id: Attribute[str]
    since: Attribute[datetime]
    expires_at: Attribute[ExpiresAt]


@access_pattern("Who has this session", SAAS, secret_hash="0" * 64)
def session(secret_hash: str) -> Get[Session]:
    return Session.get(Session.secret_hash(secret_hash))


@access_pattern("Where a user is in", SAAS, tenant_id="acme", user_id="ada")
def sessions_of(tenant_id: str, user_id: str) -> Query[Session]:
    return Session.query(BY_USER, Session.tenant_id(tenant_id), Session.user_id(user_id))


# 5. API key: the same for programs, until somebody revokes it.
class ApiKey(
    Item, table=SAAS, pk="APIKEY#{secret_hash}", sk="APIKEY", keys={"GSI1PK": OF_USER, "GSI1SK": "APIKEY#{label}"}
):
    """A program may get in, in the name of a user."""

    secret_hash: Attribute[Hash] = key_part()
    tenant_id: Attribute[str]
    user_id: Attribute[str]
    label: Attribute[str] = attribute(max_length=100)


@access_pattern("Whose API key this is", SAAS, secret_hash="0" * 64)
def api_key(secret_hash: str) -> Get[ApiKey]:
    return ApiKey.get(ApiKey.secret_hash(secret_hash))


@access_pattern("API keys of a user, by label", SAAS, tenant_id="acme", user_id="ada")
def api_keys_of(tenant_id: str, user_id: str) -> Query[ApiKey]:
    return ApiKey.query(BY_USER, ApiKey.tenant_id(tenant_id), ApiKey.user_id(user_id))


# 6. Usage: a counter is several items, so that no single one must take every write; their sum is the number.
class Usage(Item, table=USAGE, pk="TENANT#{tenant_id}", sk="{day}#{meter}#{slot:02}"):
    """What a tenant used on a day, in part."""

    tenant_id: Attribute[str] = key_part()
    day: Attribute[date] = key_part()
    meter: Attribute[Literal["calls", "bytes"]] = key_part()
    slot: Attribute[int] = key_part(ge=0, le=15)
    amount: Attribute[int] = attribute(default=0, ge=0)


@access_pattern("What a tenant used, by day", USAGE, tenant_id="acme", first=date(2026, 5, 1), last=date(2026, 5, 31))
def usage_of(tenant_id: str, first: date, last: date) -> Query[Usage]:
    return Usage.query(Usage.tenant_id(tenant_id)).between(Usage.day(first), Usage.day(last))
