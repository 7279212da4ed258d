"""Accounts, by noun: each part is a file of its own."""

from __future__ import annotations

from partita.kit.accounts.addresses import Addresses
from partita.kit.accounts.administration import Administration
from partita.kit.accounts.attempts import Attempts
from partita.kit.accounts.background import Background
from partita.kit.accounts.confirmations import Confirmations
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.notices import Notices
from partita.kit.accounts.oidc_people import oidc_people_for
from partita.kit.accounts.passwords import Passwords
from partita.kit.accounts.people import People
from partita.kit.accounts.permissions import Permissions
from partita.kit.accounts.profile import Profile
from partita.kit.accounts.recognition import Recognition
from partita.kit.accounts.registration import Registration
from partita.kit.accounts.resets import Resets
from partita.kit.accounts.schema import Account
from partita.kit.accounts.second_factor import SecondFactors
from partita.kit.accounts.sessions import Sessions
from partita.kit.accounts.stored_passwords import StoredPasswords
from partita.kit.accounts.tokens import Tokens
from partita.kit.clock import Clock, Ids
from partita.kit.limits import Limits
from partita.kit.mail import Mail
from partita.kit.mail_queue import MailQueue
from partita.kit.permissions import Grants, Policy, Viewer
from partita.kit.settings import Settings
from partita.store.store import AsyncStore


class Accounts:
    """Everything that can be done with accounts."""

    def __init__(
        self,
        store: AsyncStore,
        *,
        clock: Clock,
        ids: Ids,
        settings: Settings,
        limits: Limits,
        mail: Mail,
        passwords: Passwords | None = None,
    ) -> None:
        queue = MailQueue(store, mail, clock)
        kit = AccountsKit(store, clock, ids, settings, limits, mail, queue, passwords or Passwords())
        attempts, notices, self._background = Attempts(limits), Notices(kit), Background()
        self._queue = queue
        self.permissions = Permissions(store)
        self.people = People(kit)
        self.second_factors = SecondFactors(kit, self.people, attempts, notices)
        self.sessions = Sessions(kit, self.people, attempts, self.second_factors)
        self.tokens = Tokens(kit, self.people, self.permissions, notices)
        self.recognition = Recognition(kit, self.permissions, oidc_people_for(kit, self.permissions))
        stored = StoredPasswords(kit, self.sessions, attempts)
        self.confirmations = Confirmations(kit, self.people, self.sessions, stored, self.second_factors)
        self.addresses = Addresses(kit, self.people, stored, notices, self._background)
        self.registration = Registration(kit, self.people, self.addresses)
        self.profile = Profile(kit, self.people, stored, self.tokens, notices)
        self.resets = Resets(kit, self.people, stored, self.tokens, notices, self._background)
        self.administration = Administration(
            kit,
            self.people,
            self.permissions,
            self.registration,
            self.sessions,
            self.tokens,
            stored,
            self.second_factors,
            notices,
        )

    def use(self, policy: Policy, grants: tuple[Grants, ...] = ()) -> None:
        """Set who may do what: to be called once the systems are built, which need accounts themselves."""
        self.permissions.use(policy, grants)

    @property
    def policy(self) -> Policy:
        """The permissions and roles of all systems."""
        return self.permissions.policy

    def operator(self) -> Viewer:
        """Whoever runs commands on this machine, and so may do everything."""
        return Viewer(username="operator", name="Operator", permissions=self.policy.known, via="command")

    async def suggest(self, text: str, permission: str) -> list[Account]:
        """People whose username begins with a text and who hold a permission, for a field that names a colleague.
        Whoever calls this has checked that the viewer may know who has an account."""
        found = await self.people.suggest(text[:64])
        return [person for person in found if permission in await self.permissions.of(person)]

    async def finish(self) -> None:
        """Wait for work that goes on in the background; call it before the store is closed."""
        await self._background.finish()
        await self._queue.finish()
