"""What the house itself holds about people: accounts, notifications, mail, jobs and limits."""

from __future__ import annotations

from partita.kit.accounts.schema import (
    ACCOUNTS,
    Account,
    ApiToken,
    EmailOwner,
    Erasure,
    FormerName,
    NewSecondFactor,
    Password,
    PendingAddress,
    ResetLink,
    SecondFactor,
    Session,
    UsernameOwner,
)
from partita.kit.changes.schema import Parked
from partita.kit.files.schema import UPLOADS
from partita.kit.jobs.schema import Job, JobKey
from partita.kit.limits import counted_as
from partita.kit.notifications.schema import Digest, DigestEntry, Inbox, Merged, NotificationSettings
from partita.kit.notifications.schema import Note as Notification
from partita.kit.personal_data.holdings import Holding, Person
from partita.kit.personal_data.rooms import Room
from partita.kit.schema import HOUSE, KeptForm, KeptMail, QueuedMail, Tally

LAST = (Account, EmailOwner, UsernameOwner, Erasure, FormerName)
"""What goes when everything else is gone: until then the account is closed and its name taken."""


def house() -> Room:
    """The house."""
    return Room("house", "Your account", (ACCOUNTS, HOUSE, UPLOADS), (*_accounts(), *_house()))


def _accounts() -> tuple[Holding, ...]:
    digest = ("digest",)
    return (
        Holding(Account, "Account", "user_id", names=("username", "email", "name"), files=_avatar),
        Holding(Password, "Password", "user_id", secrets=("encoded",)),
        Holding(Session, "Sessions", "user_id", secrets=digest),
        Holding(ApiToken, "API tokens", "user_id", secrets=digest),
        Holding(ResetLink, "Links to reset the password", "user_id", secrets=digest),
        Holding(PendingAddress, "Addresses to confirm", "user_id", names=("email",), secrets=digest),
        Holding(SecondFactor, "Second factor", "user_id", secrets=("secret", "salt", "recovery")),
        Holding(NewSecondFactor, "Second factor", "user_id", secrets=("secret",)),
        Holding(EmailOwner, "Account", "of_user", names=("email",)),
        Holding(UsernameOwner, "Account", "of_user", names=("username",)),
        Holding(Erasure, "Account", "user_id", names=("username", "email", "name")),
        Holding(FormerName, "Former names and addresses", "user_id", names=("text",)),
    )


def _avatar(person: Account) -> tuple[str, ...]:
    return () if person.avatar is None else (person.avatar,)


def _house() -> tuple[Holding, ...]:
    words = ("subject", "text", "html")
    to_them = "to others it goes on without the name"
    return (
        Holding(Tally, "Counters of limits", is_of=_counts),
        Holding(KeptMail, "Mail", names=("to",), texts=words, secrets=words, because=to_them, is_of=_is_to),
        Holding(QueuedMail, "Mail", names=("to",), texts=words, secrets=words, because=to_them, is_of=_is_to),
        Holding(KeptForm, "Forms that are kept", "user_id"),
        Holding(Inbox, "Notifications", "user_id"),
        Holding(
            Notification,
            "Notifications",
            "user_id",
            also=("data", "link", "note_id"),
            texts=("data",),
            because="other people's go on without the name",
        ),
        Holding(Merged, "Notifications", "user_id"),
        Holding(NotificationSettings, "Settings of notifications", "user_id"),
        Holding(Digest, "Digests", "user_id"),
        Holding(
            DigestEntry,
            "Digests",
            "user_id",
            also=("data", "link"),
            texts=("data",),
            because="other people's go on without the name",
        ),
        Holding(
            Job,
            "Jobs",
            "user_id",
            also=("arguments", "once_key", "checkpoint", "result", "result_path", "title"),
            secrets=("token",),
            because="jobs of others go on without the id",
        ),
        Holding(JobKey, "Jobs", is_of=lambda key, person: person.user_id in key.once_key, also=("once_key",)),
        Holding(
            Parked,
            "Changes that failed",
            also=("record", "error"),
            texts=("error",),
            documents=("record",),
            because="an operator replays them, without the id and the name",
        ),
    )


def _counts(tally: Tally, person: Person) -> bool:
    return tally.who in map(counted_as, person.counted)


def _is_to(mail: KeptMail | QueuedMail, person: Person) -> bool:
    return mail.to.casefold() in person.addresses
