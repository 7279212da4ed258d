"""A service for organisations: members, events by time, sessions that expire, an index that holds keys alone."""

from __future__ import annotations

from datetime import UTC, date, datetime

from partita.table import Attribute, Get, Item, Query, Table, access_pattern, attribute, key_part
from partita.table.types import ExpiresAt

SAAS = Table("saas", pk="PK", sk="SK", ttl="expiresAt")
BY_USER = SAAS.index("byUser", pk="GSI1PK", sk="GSI1SK", projection="KEYS_ONLY")
BY_EMAIL = SAAS.index("byEmail", pk="email", projection=("name",))


class User(Item, table=SAAS, pk="USER#{user_id}", sk="USER#{user_id}"):
    """Somebody."""

    user_id: Attribute[str] = key_part()
    email: Attribute[str] = attribute(max_length=200)
    name: Attribute[str] = attribute(max_length=100)


class Session(
    Item,
    table=SAAS,
    pk="SESSION#{token}",
    sk="SESSION",
    keys={"GSI1PK": "USER#{user_id}", "GSI1SK": "SESSION#{started}"},
):
    """Good for a while."""

    token: Attribute[str] = key_part()
    user_id: Attribute[str]
    started: Attribute[datetime]
    expires_at: Attribute[ExpiresAt] = attribute("expiresAt")


class Event(Item, table=SAAS, pk="ORG#{org}", sk="EVENT#{at}#{event_id}"):
    """What happened in an organisation."""

    org: Attribute[str] = key_part()
    at: Attribute[datetime] = key_part()
    event_id: Attribute[str] = key_part()
    what: Attribute[str] = attribute(max_length=300)


class Bill(Item, table=SAAS, pk="ORG#{org}", sk="BILL#{month}"):
    """What an organisation pays."""

    org: Attribute[str] = key_part()
    month: Attribute[date] = key_part()
    cents: Attribute[int] = attribute(ge=0)


MARCH, APRIL = datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 4, 1, tzinfo=UTC)


@access_pattern("A user by email", SAAS, email="ada@example.org")
def user_with(email: str) -> Query[User]:
    return User.query(BY_EMAIL, User.email(email))


@access_pattern("A session", SAAS, token="t1")
def session(token: str) -> Get[Session]:
    return Session.get(Session.token(token))


@access_pattern("Sessions of a user", SAAS, user_id="ada")
def sessions_of(user_id: str) -> Query[Session]:
    return Session.query(BY_USER, Session.user_id(user_id)).newest_first()


@access_pattern("Events of a time", SAAS, org="acme", first=MARCH, last=APRIL)
def events_between(org: str, first: datetime, last: datetime) -> Query[Event]:
    return Event.query(Event.org(org)).between(Event.at(first), Event.at(last))


@access_pattern("Events before", SAAS, org="acme", last=MARCH)
def events_before(org: str, last: datetime) -> Query[Event]:
    return Event.query(Event.org(org)).before(Event.at(last)).newest_first()


@access_pattern("Bills since", SAAS, org="acme", month=date(2024, 1, 1))
def bills_since(org: str, month: date) -> Query[Bill]:
    return Bill.query(Bill.org(org)).at_least(Bill.month(month))


SAAS.accept("second-read", BY_USER, because="a user has a handful of sessions")
