"""Accounts: each person's account, secrets, sessions and tokens in one partition, and guards beside it."""

from __future__ import annotations

from typing import Literal

from partita.table import (
    Attribute,
    Get,
    Guard,
    Item,
    Query,
    Table,
    access_pattern,
    attribute,
    camel_case,
    derived,
    key_part,
)
from partita.table.types import Timestamp

ACCOUNTS = Table(
    "partita-accounts",
    pk="PK",
    sk="SK",
    ttl="expiresAt",
    purpose="Accounts, their passwords, sessions and tokens, and who owns a username or email address.",
    names=camel_case,
)

NEWEST = ACCOUNTS.index("newest", pk="newest", sk="createdAt", shards=4, purpose="Accounts, newest first")
STAFF = ACCOUNTS.index(
    "withRoles",
    pk="staff",
    sk="username",
    purpose="Accounts with roles: sparse",
    replaces=("staff",),  # it lacked the accounts that earlier versions had made
    backfill=True,
)
DIRECTORY = ACCOUNTS.index("directory", pk="directory", sk="username", shards=4, purpose="Accounts by username")


# 1. Account: a person, without secrets.
class Account(
    Item,
    table=ACCOUNTS,
    pk="USER#{user_id}",
    sk="ACCOUNT",
    keys={"newest": "ACCOUNT", "directory": "ACCOUNT"},
):
    """A person."""

    user_id: Attribute[str] = key_part()
    username: Attribute[str] = attribute(min_length=1, max_length=64)
    email: Attribute[str | None] = attribute(default=None, max_length=320)
    """Confirmed, by its owner or by an administrator: one that somebody has only typed is a `PendingAddress`."""
    name: Attribute[str] = attribute(max_length=200)
    avatar: Attribute[str | None] = attribute(default=None)
    """The file of their own picture."""
    roles: Attribute[frozenset[str]] = attribute(default=frozenset())
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]
    generation: Attribute[int] = attribute(default=1, ge=1)
    """Sessions of an earlier generation have ended: the next one ends all of them at once."""
    token_generation: Attribute[int] = attribute(default=1, ge=1)
    """The same for API tokens, which outlive a change of the password but not a reset."""
    must_change_password: Attribute[bool] = attribute(default=False)
    second_factor: Attribute[bool] = attribute(default=False)
    """Whether signing in needs a code besides the password."""
    suspended_at: Attribute[Timestamp | None] = attribute(default=None)
    erasing: Attribute[str | None] = attribute(default=None)
    """The `Erasure` that removes it: nobody signs in any more, and nobody restores it."""
    issuer: Attribute[str | None] = attribute(default=None)
    """The OpenID provider of somebody who has no password here."""
    staff: Attribute[Literal["STAFF"] | None] = derived(lambda roles: "STAFF" if roles else None)

    @property
    def suspended(self) -> bool:
        return self.suspended_at is not None


@access_pattern("An account", ACCOUNTS, user_id="1")
def account(user_id: str) -> Get[Account]:
    return Account.get(Account.user_id(user_id))


@access_pattern("Accounts, newest first", ACCOUNTS)
def newest_accounts() -> Query[Account]:
    return Account.query(NEWEST).newest_first()


@access_pattern("Accounts whose username starts with a text", ACCOUNTS, start="ad")
def accounts_named(start: str) -> Query[Account]:
    every = Account.query(DIRECTORY)
    return every.starting_with(start) if start else every


@access_pattern("Accounts with roles", ACCOUNTS)
def staff_accounts() -> Query[Account]:
    return Account.query(STAFF, Account.staff("STAFF"))


# 2. Password: not in the account, so that no page that shows an account can show it.
class Password(Item, table=ACCOUNTS, pk="USER#{user_id}", sk="PASSWORD"):
    """A password, hashed with argon2id."""

    user_id: Attribute[str] = key_part()
    encoded: Attribute[str] = attribute(repr=False)
    generation: Attribute[int] = attribute(default=1, ge=1)
    """The account's: signing in while the password is being changed begins a session that has already ended."""
    changed_at: Attribute[Timestamp]


@access_pattern("An account's password", ACCOUNTS, user_id="1")
def password(user_id: str) -> Get[Password]:
    return Password.get(Password.user_id(user_id))


# 3. Session: one browser that somebody signed in with.
class Session(Item, table=ACCOUNTS, pk="USER#{user_id}", sk="SESSION#{session_id}"):
    """A browser that is signed in; only a digest of its token is stored."""

    user_id: Attribute[str] = key_part()
    session_id: Attribute[str] = key_part()
    digest: Attribute[str] = attribute(repr=False)
    generation: Attribute[int]
    user_agent: Attribute[str] = attribute(default="", max_length=300)
    created_at: Attribute[Timestamp]
    used_at: Attribute[Timestamp]
    confirmed_at: Attribute[Timestamp | None] = attribute(default=None)
    """When the password or a code was last entered here; what is dangerous wants that to be a few minutes ago."""
    expires_at: Attribute[int]


@access_pattern("An account's sessions, newest first", ACCOUNTS, user_id="1")
def sessions_of(user_id: str) -> Query[Session]:
    return Session.query(Session.user_id(user_id)).newest_first()


# 4. API token: lets a program act for somebody, with some of their permissions.
class ApiToken(Item, table=ACCOUNTS, pk="USER#{user_id}", sk="TOKEN#{token_id}"):
    """A program's key; only a digest of it is stored."""

    user_id: Attribute[str] = key_part()
    token_id: Attribute[str] = key_part()
    name: Attribute[str] = attribute(max_length=100)
    scopes: Attribute[frozenset[str]] = attribute(default=frozenset())
    digest: Attribute[str] = attribute(repr=False)
    generation: Attribute[int] = attribute(default=1, ge=1)
    """The account's `token_generation`: tokens of an earlier one have ended."""
    created_at: Attribute[Timestamp]
    used_at: Attribute[Timestamp | None] = attribute(default=None)
    expires_at: Attribute[int]


@access_pattern("An account's API tokens, newest first", ACCOUNTS, user_id="1")
def tokens_of(user_id: str) -> Query[ApiToken]:
    return ApiToken.query(ApiToken.user_id(user_id)).newest_first()


# 5. Reset link: one at a time; a new one replaces it.
class ResetLink(Item, table=ACCOUNTS, pk="USER#{user_id}", sk="RESET"):
    """A link by mail that lets somebody choose a new password, once."""

    user_id: Attribute[str] = key_part()
    digest: Attribute[str] = attribute(repr=False)
    created_at: Attribute[Timestamp]
    expires_at: Attribute[int]


@access_pattern("An account's reset link", ACCOUNTS, user_id="1")
def reset_link(user_id: str) -> Get[ResetLink]:
    return ResetLink.get(ResetLink.user_id(user_id))


# 6. Pending address: one at a time; it becomes the account's when somebody opens the link that was sent there.
class PendingAddress(Item, table=ACCOUNTS, pk="USER#{user_id}", sk="ADDRESS"):
    """An email address that somebody has typed and not confirmed: it belongs to nobody, and gets no other mail."""

    user_id: Attribute[str] = key_part()
    email: Attribute[str] = attribute(max_length=320)
    digest: Attribute[str] = attribute(repr=False)
    created_at: Attribute[Timestamp]
    expires_at: Attribute[int]


@access_pattern("An account's address that is not confirmed yet", ACCOUNTS, user_id="1")
def pending_address(user_id: str) -> Get[PendingAddress]:
    return PendingAddress.get(PendingAddress.user_id(user_id))


# 7. Second factor: not in the account, for the same reason as the password.
class SecondFactor(Item, table=ACCOUNTS, pk="USER#{user_id}", sk="SECOND-FACTOR"):
    """The secret of an authenticator app, encrypted, and digests of recovery codes."""

    user_id: Attribute[str] = key_part()
    secret: Attribute[str] = attribute(repr=False)
    last_step: Attribute[int]
    """The time step of the last code that was used: neither it nor an earlier one is taken again."""
    salt: Attribute[str] = attribute(repr=False)
    recovery: Attribute[frozenset[str]] = attribute(default=frozenset(), max_length=20, repr=False)
    created_at: Attribute[Timestamp]


@access_pattern("An account's second factor", ACCOUNTS, user_id="1")
def second_factor(user_id: str) -> Get[SecondFactor]:
    return SecondFactor.get(SecondFactor.user_id(user_id))


class NewSecondFactor(Item, table=ACCOUNTS, pk="USER#{user_id}", sk="NEW-SECOND-FACTOR"):
    """A secret that was shown to somebody, until a code proves that their app has it."""

    user_id: Attribute[str] = key_part()
    secret: Attribute[str] = attribute(repr=False)
    expires_at: Attribute[int]


@access_pattern("A second factor that is being set up", ACCOUNTS, user_id="1")
def new_second_factor(user_id: str) -> Get[NewSecondFactor]:
    return NewSecondFactor.get(NewSecondFactor.user_id(user_id))


# 8. Guards: an email address and a username belong to one account.
class EmailOwner(Item, table=ACCOUNTS, pk="EMAIL#{email}", sk="UNIQUE"):
    """Which account has an email address."""

    email: Attribute[str] = key_part()
    of_user: Attribute[str]


class UsernameOwner(Item, table=ACCOUNTS, pk="USERNAME#{username}", sk="UNIQUE"):
    """Which account has a username."""

    username: Attribute[str] = key_part()
    of_user: Attribute[str]


def _email_owner(person: Account) -> EmailOwner | None:
    return None if person.email is None else EmailOwner(email=person.email, of_user=person.user_id)


EMAIL = Guard(Account, _email_owner)
USERNAME = Guard(Account, lambda person: UsernameOwner(username=person.username, of_user=person.user_id))


@access_pattern("The owner of an email address", ACCOUNTS, email="ada@example.org")
def email_owner(email: str) -> Get[EmailOwner]:
    return EmailOwner.get(EmailOwner.email(email))


@access_pattern("The owner of a username", ACCOUNTS, username="ada")
def username_owner(username: str) -> Get[UsernameOwner]:
    return UsernameOwner.get(UsernameOwner.username(username))


# 9. Erasures: whom the job removes, here and not in its arguments, which outlast it.
class Erasure(Item, table=ACCOUNTS, pk="ERASURE#{erasure_id}", sk="ERASURE"):
    """An account that is being erased, until nothing is left of it."""

    erasure_id: Attribute[str] = key_part()
    user_id: Attribute[str]
    username: Attribute[str]
    name: Attribute[str]
    email: Attribute[str | None] = attribute(default=None)
    stand_in: Attribute[str]
    """Takes the place of the id in what stays."""
    systems: Attribute[tuple[str, ...]] = attribute(default=())
    """Whoever does it must have these: a process that serves some systems alone would leave the others' data."""
    by_administrator: Attribute[bool] = attribute(default=False)
    """Whether somebody else asked for it; the last mail says so."""
    asked_at: Attribute[Timestamp]


@access_pattern("An erasure", ACCOUNTS, erasure_id="1")
def erasure(erasure_id: str) -> Get[Erasure]:
    return Erasure.get(Erasure.erasure_id(erasure_id)).consistently()


# 10. Former names: they go with the account, and until then tell what to look for in other people's texts.
class FormerName(Item, table=ACCOUNTS, pk="USER#{user_id}", sk="FORMERLY#{digest}"):
    """A name or an email address that somebody had before, here or in one of the systems."""

    user_id: Attribute[str] = key_part()
    digest: Attribute[str] = key_part()
    """Of the text: whoever goes back and forth has each once."""
    text: Attribute[str] = attribute(max_length=320)
    given_up_at: Attribute[Timestamp]


@access_pattern("What somebody was called before", ACCOUNTS, user_id="1")
def former_names(user_id: str) -> Query[FormerName]:
    return FormerName.query(FormerName.user_id(user_id))


# What `partita check` finds here, and why we live with it.
ACCOUNTS.accept("hot-partition", STAFF, because="few people have roles, and those seldom change")
ACCOUNTS.accept(
    "large-item", Account, ApiToken, Erasure, because="roles, scopes and systems come from lists of a few dozen"
)
