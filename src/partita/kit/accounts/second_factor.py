"""The second factor: codes of an authenticator app, and recovery codes for when it is lost."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from partita.kit.accounts import totp
from partita.kit.accounts.attempts import Attempts
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.notices import Notices
from partita.kit.accounts.people import People
from partita.kit.accounts.schema import (
    Account,
    NewSecondFactor,
    SecondFactor,
    new_second_factor,
    second_factor,
)
from partita.kit.accounts.vault import Vault
from partita.kit.permissions import Viewer, require_confirmation
from partita.kit.problems import Conflict, FieldError, Invalid
from partita.table import Delete, Put, Transaction, Update

RECOVERY_CODES = 10
_CODE_CHARACTERS = 16
_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without what looks alike."""
_SETUP_HOURS = 1
_WRONG = "Wrong or used code. Wait for the next one and try again."
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Setup:
    """What somebody's app needs to know."""

    secret: str = field(repr=False)
    """For typing."""
    address: str = field(repr=False)
    """For scanning."""


class _Used(Exception):
    """Somebody was faster with the same code."""


class SecondFactors:
    """Adding, checking and removing second factors."""

    def __init__(self, kit: AccountsKit, people: People, attempts: Attempts, notices: Notices) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._attempts = attempts
        self._notices = notices
        self._vault = Vault(kit.settings, "second factor")

    # -- the viewer's own

    async def begin(self, viewer: Viewer) -> None:
        """Make a secret for the viewer's app; nothing changes before a code proves that the app has it."""
        person = await self._changeable(viewer)
        _refuse_second(person)
        new = NewSecondFactor(
            user_id=person.user_id,
            secret=self._vault.lock(person.user_id, totp.new_secret()),
            expires_at=self._kit.expiry_in(hours=_SETUP_HOURS),
        )
        await self._store.write(Put(new))

    async def setup(self, viewer: Viewer) -> Setup | None:
        """The secret that the viewer has begun with; None if there is none."""
        person = await self._people.own_account(viewer)
        secret = await self._new_secret(person)
        if secret is None or not viewer.confirmed:
            return None
        host = urlsplit(self._kit.settings.base_url).netloc
        issuer = f"Partita {host}".replace(":", " ")
        return Setup(totp.spelled(secret), totp.address(secret, issuer=issuer, account=person.username))

    async def add(self, viewer: Viewer, code: str) -> tuple[str, ...]:
        """Add the second factor if the code is right; the recovery codes, which are shown nowhere else."""
        person = await self._changeable(viewer)
        _refuse_second(person)
        secret = await self._new_secret(person)
        if secret is None:
            raise Conflict("This took too long. Begin again with a new secret.", code="begin_again")
        attempt = await self._attempts.of_code(person.user_id)
        step = totp.matching_step(secret, _digits(code), self._step())
        if step is None:
            raise Invalid(FieldError("code", "Wrong code. Enter the one that your app shows now."), code="wrong_code")
        await self._attempts.succeeded(attempt)
        codes, salt = _new_codes(), secrets.token_hex(16)
        factor = SecondFactor(
            user_id=person.user_id,
            secret=self._vault.lock(person.user_id, secret),
            last_step=step,
            salt=salt,
            recovery=frozenset(_digest(salt, each) for each in codes),
            created_at=self._kit.timestamp(),
        )
        twice = Conflict("You have a second factor already.", code="second_factor_exists")
        on = Update(person.own_key, Account.second_factor.set(True)).unless_changed(person, Account.second_factor)
        gone = Delete(NewSecondFactor.key(NewSecondFactor.user_id(person.user_id)))
        await self._store.transact(Transaction(Put(factor).if_new().otherwise(twice), on, gone))
        _log.info("%s added a second factor", person.user_id)
        await self._notices.second_factor_added(person)
        return codes

    async def renew_recovery_codes(self, viewer: Viewer) -> tuple[str, ...]:
        """New recovery codes; the old ones no longer work."""
        person = await self._changeable(viewer)
        codes, salt = _new_codes(), secrets.token_hex(16)
        change = Update(
            SecondFactor.key(SecondFactor.user_id(person.user_id)),
            SecondFactor.salt.set(salt),
            SecondFactor.recovery.set(frozenset(_digest(salt, each) for each in codes)),
        )
        none = Conflict("You have no second factor.", code="no_second_factor")
        await self._store.write(change.otherwise(none))
        _log.info("%s made new recovery codes", person.user_id)
        return codes

    async def recovery_codes_left(self, viewer: Viewer) -> int:
        """How many recovery codes the viewer has not used."""
        factor = await self._store.get(second_factor(viewer.id).consistently())
        return 0 if factor is None else len(factor.recovery)

    async def remove(self, viewer: Viewer) -> None:
        """Remove the viewer's second factor."""
        person = await self._changeable(viewer)
        await self.remove_from(person)
        await self._notices.second_factor_removed(person)

    # -- anybody's

    async def remove_from(self, person: Account) -> None:
        """Remove somebody's second factor; who may do it is up to the caller."""
        off = Update(person.own_key, Account.second_factor.set(False))
        await self._store.transact(Transaction(Delete(SecondFactor.key(SecondFactor.user_id(person.user_id))), off))
        _log.info("the second factor of %s was removed", person.user_id)

    async def check(self, person: Account, typed: str) -> None:
        """Use up the code of an app or a recovery code, or refuse: wrong ones, used ones, and too many guesses."""
        attempt = await self._attempts.of_code(person.user_id)
        factor = await self._store.get(second_factor(person.user_id).consistently())
        if factor is None or not (
            await self._use_code(person, factor, typed) or await self._use_recovery(person, factor, typed)
        ):
            _log.info("a code of %s was wrong", person.user_id)
            raise Invalid(FieldError("code", _WRONG), code="wrong_code")
        await self._attempts.succeeded(attempt)

    async def _use_code(self, person: Account, factor: SecondFactor, typed: str) -> bool:
        secret = self._vault.unlock(factor.user_id, factor.secret)
        if secret is None:
            _log.error("the second factor of %s cannot be read: the secret in the settings has changed", factor.user_id)
            return False
        digits, now = _digits(typed), self._step()
        step = totp.matching_step(secret, digits, now, after=factor.last_step)
        if step is not None:
            use = Update(factor.own_key, SecondFactor.last_step.set(step)).when(SecondFactor.last_step < step)
            if await self._once(use):
                return True
        elif totp.matching_step(secret, digits, now) != factor.last_step:
            return False
        # Right, but used: whoever watched the code being typed enters it like this.
        _log.warning("a code of %s was entered again", person.user_id)
        await self._notices.code_entered_again(person, factor.last_step if step is None else step)
        return False

    async def _use_recovery(self, person: Account, factor: SecondFactor, typed: str) -> bool:
        digest = _digest(factor.salt, typed)
        if digest not in factor.recovery:
            return False
        use = Update(factor.own_key, SecondFactor.recovery.leave(digest))
        if not await self._once(use.when(SecondFactor.recovery.contains(digest))):
            return False
        _log.info("%s used a recovery code", person.user_id)
        await self._notices.recovery_used(person, len(factor.recovery) - 1)
        return True

    async def _once(self, use: Update[SecondFactor]) -> bool:
        try:
            await self._store.write(use.otherwise(_Used()))
        except _Used:
            return False
        return True

    async def _new_secret(self, person: Account) -> bytes | None:
        new = await self._store.get(new_second_factor(person.user_id).consistently())
        if new is None or new.expires_at <= self._kit.clock.now().timestamp():
            return None
        return self._vault.unlock(person.user_id, new.secret)

    async def _changeable(self, viewer: Viewer) -> Account:
        person = await self._people.own_account(viewer)
        require_confirmation(viewer)
        return person

    def _step(self) -> int:
        return totp.step_at(self._kit.clock.now().timestamp())


def _refuse_second(person: Account) -> None:
    if person.second_factor:
        raise Conflict("You have a second factor already. Remove it to add another.", code="second_factor_exists")


def _new_codes() -> tuple[str, ...]:
    def one() -> str:
        text = "".join(secrets.choice(_ALPHABET) for _ in range(_CODE_CHARACTERS))
        return "-".join(text[start : start + 4] for start in range(0, _CODE_CHARACTERS, 4))

    return tuple(one() for _ in range(RECOVERY_CODES))


def _digits(typed: str) -> str:
    return re.sub(r"\s", "", typed)[:20]


def _digest(salt: str, typed: str) -> str:
    """What is stored of a recovery code: it has 79 random bits, so one fast digest is enough."""
    plain = re.sub(r"[\s-]", "", typed.lower())[:64]
    return hashlib.sha256(f"{salt}\n{plain}".encode(errors="replace")).hexdigest()
