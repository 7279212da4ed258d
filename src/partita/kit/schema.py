"""The house's own table: rate limits, the outbox, mail on its way, kept forms, and how far links were asked."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from partita.table import Attribute, Get, Item, Query, Table, access_pattern, attribute, camel_case, derived, key_part
from partita.table.types import Timestamp

HOUSE = Table(
    "partita-house",
    pk="PK",
    sk="SK",
    ttl="expiresAt",
    stream=None,
    purpose="Counters of rate limits, notifications, mail, forms that are kept, jobs, progress of change handlers.",
)

OUTBOX = HOUSE.index("outbox", pk="outbox", sk="sentAt", shards=4, purpose="Kept mail, newest first")
QUEUE = HOUSE.index("queue", pk="queued", sk="dueAt", shards=4, purpose="Mail that waits to be sent: sparse")
INBOX = HOUSE.index("inbox", pk="inboxOf", sk="inboxSk", purpose="Somebody's notifications, newest first")
DIGESTS = HOUSE.index("digests", pk="digestDue", sk="dueAt", shards=4, purpose="Digests that wait to be sent: sparse")


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


# 2. The outbox: mail that is kept for administrators to read, where nothing is sent.
class KeptFile(BaseModel):
    """A file that went with a mail."""

    model_config = ConfigDict(frozen=True)

    name: str
    kind: str
    size: int
    content: bytes | None = None
    """None if the files of the mail were too large to be kept."""


class KeptMail(Item, table=HOUSE, pk="MAIL#{mail_id}", sk="MAIL", keys={"outbox": "OUTBOX"}, names=camel_case):
    """A mail that would have been sent."""

    mail_id: Attribute[str] = key_part()
    sender: Attribute[str]
    to: Attribute[str]
    subject: Attribute[str]
    text: Attribute[str] = attribute(repr=False)
    html: Attribute[str] = attribute(default="", repr=False)
    message_id: Attribute[str] = attribute(default="")
    unsubscribe: Attribute[str] = attribute(default="", repr=False)
    files: Attribute[tuple[KeptFile, ...]] = attribute(default=(), max_length=20)
    sent_at: Attribute[Timestamp]
    expires_at: Attribute[int]


@access_pattern("A kept mail", HOUSE, mail_id="1")
def kept_mail(mail_id: str) -> Get[KeptMail]:
    return KeptMail.get(KeptMail.mail_id(mail_id))


@access_pattern("Kept mail, newest first", HOUSE)
def newest_mail() -> Query[KeptMail]:
    return KeptMail.query(OUTBOX).newest_first()


# 3. The mail queue: mail that must go out once, whatever happens to the process that sends it.
class QueuedMail(Item, table=HOUSE, pk="QUEUE#{mail_id}", sk="MAIL", names=camel_case):
    """A mail on its way: waiting, claimed by the process that sends it, then sent or failed."""

    mail_id: Attribute[str] = key_part()
    """Made of the mail's cause: the same cause makes the same mail."""
    to: Attribute[str]
    subject: Attribute[str]
    text: Attribute[str] = attribute(default="", repr=False)
    """Deleted when the mail is sent."""
    html: Attribute[str] = attribute(default="", repr=False)
    unsubscribe: Attribute[str] = attribute(default="", repr=False)
    state: Attribute[Literal["waiting", "claimed", "sent", "failed"]] = attribute(default="waiting")
    due_at: Attribute[Timestamp]
    """When to try (again); of a claimed one, when the claim ends if nobody has seen it before."""
    tries: Attribute[int] = attribute(default=0)
    unanswered: Attribute[int] = attribute(default=0)
    """How many tries ended without anybody knowing whether the mail went out."""
    leaves_no_trace: Attribute[bool] = attribute(default=False)
    """Whether it is deleted, not marked, once it was sent or given up: it is all that is left of somebody."""
    error: Attribute[str] = attribute(default="", max_length=500)
    queued_at: Attribute[Timestamp]
    expires_at: Attribute[int]
    queued: Attribute[Literal["QUEUED"] | None] = derived(
        lambda state: "QUEUED" if state in ("waiting", "claimed") else None
    )


@access_pattern("A queued mail", HOUSE, documented=False, mail_id="1")
def queued_mail(mail_id: str) -> Get[QueuedMail]:
    return QueuedMail.get(QueuedMail.mail_id(mail_id))


@access_pattern("Mail that is due to be sent", HOUSE, documented=False, now="2026-01-26T10:30:00Z")
def due_mail(now: str) -> Query[QueuedMail]:
    return QueuedMail.query(QUEUE, QueuedMail.queued("QUEUED")).at_most(QueuedMail.due_at(now))


MOST_KEPT = 90_000
"""More than the longest form that is kept."""


# 4. Kept forms: what somebody typed and sent after their session had ended.
class KeptForm(Item, table=HOUSE, pk="KEPT#{user_id}", sk="FORM#{form_id}", names=camel_case):
    """A form, to be shown again to the person who typed it."""

    user_id: Attribute[str] = key_part()
    form_id: Attribute[str] = key_part()
    path: Attribute[str] = attribute(max_length=2000)
    """Where it was sent to."""
    parameters: Attribute[str] = attribute(default="", max_length=2000)
    """The query of that address."""
    body: Attribute[str] = attribute(max_length=MOST_KEPT, repr=False)
    """Its fields, escaped as a browser does but for letters beyond ASCII; no secrets, no files."""
    expires_at: Attribute[int]


@access_pattern("A kept form", HOUSE, documented=False, user_id="1", form_id="1")
def kept_form(user_id: str, form_id: str) -> Get[KeptForm]:
    return KeptForm.get(KeptForm.user_id(user_id), KeptForm.form_id(form_id))


# 5. Nights that ask links: where each day of the week goes on if its last night did not get to the end.
class LinkMark(Item, table=HOUSE, pk="LINKS#{name}", sk="DAY#{day}", names=camel_case):
    """Up to where the addresses of a day of the week were asked."""

    name: Attribute[str] = key_part()
    """The kind of the job."""
    day: Attribute[int] = key_part()
    """One of seven."""
    cursor: Attribute[str | None] = attribute(default=None)
    """None if the next one begins with the first address."""


@access_pattern("Where a night goes on with asking links", HOUSE, documented=False, name="fus.check-links", day=1)
def link_mark(name: str, day: int) -> Get[LinkMark]:
    return LinkMark.get(LinkMark.name(name), LinkMark.day(day)).consistently()
