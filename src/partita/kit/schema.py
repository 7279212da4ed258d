"""The house's own table: rate limits and the outbox."""

from __future__ import annotations

from partita.table import Attribute, Get, Item, Query, Table, access_pattern, attribute, camel_case, key_part
from partita.table.types import Timestamp

HOUSE = Table(
    "partita-house",
    pk="PK",
    sk="SK",
    ttl="expiresAt",
    stream=None,
    purpose="Counters of rate limits, kept mail, jobs, and how far the handlers of changes are.",
)

OUTBOX = HOUSE.index("outbox", pk="outbox", sk="sentAt", shards=4, purpose="Kept mail, newest first")


# 1. Rate limits: one counter per rule, person and window; it expires with the window.
class Tally(Item, table=HOUSE, pk="LIMIT#{rule}#{who}", sk="WINDOW#{window}", names=camel_case):
    """How often somebody did something within a window of time."""

    rule: Attribute[str] = key_part()
    who: Attribute[str] = key_part()
    """A digest: people mistype, and what they type may be a password."""
    window: Attribute[int] = key_part()
    count: Attribute[int] = attribute(default=0)
    expires_at: Attribute[int]


@access_pattern("How often somebody did something", HOUSE, rule="sign-in", who="9f86d081", window=1)
def tally(rule: str, who: str, window: int) -> Get[Tally]:
    return Tally.get(Tally.rule(rule), Tally.who(who), Tally.window(window))


# 2. The outbox: mail that is kept for administrators to read instead of being sent.
class KeptMail(Item, table=HOUSE, pk="MAIL#{mail_id}", sk="MAIL", keys={"outbox": "OUTBOX"}, names=camel_case):
    """A mail that would have been sent."""

    mail_id: Attribute[str] = key_part()
    sender: Attribute[str]
    to: Attribute[str]
    subject: Attribute[str]
    text: Attribute[str] = attribute(repr=False)
    sent_at: Attribute[Timestamp]
    expires_at: Attribute[int]


@access_pattern("A kept mail", HOUSE, mail_id="1")
def kept_mail(mail_id: str) -> Get[KeptMail]:
    return KeptMail.get(KeptMail.mail_id(mail_id))


@access_pattern("Kept mail, newest first", HOUSE)
def newest_mail() -> Query[KeptMail]:
    return KeptMail.query(OUTBOX).newest_first()
