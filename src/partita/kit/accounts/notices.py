"""Notices: whoever owns an account is told what was changed, and so hears of it if it was somebody else."""

from __future__ import annotations

from hashlib import blake2s

from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.mails import mail
from partita.kit.accounts.schema import Account
from partita.kit.letters import linkless

_NOT_YOU = (
    "If this was not you, somebody else has access to your account: reset your password at once and tell an"
    " administrator."
)

_ASK = "If you did not ask for this, contact an administrator."


class Notices:
    """Mail to confirmed addresses, sent once and tried again."""

    def __init__(self, kit: AccountsKit) -> None:
        self._kit = kit

    async def password_changed(self, person: Account, *, by: str = "") -> None:
        """`by` is the administrator who set a one-time password."""
        subject = "Your password was changed"
        if by:
            says = (
                f"The administrator {linkless(by)} has set a one-time password for you, signed you out everywhere and"
                " revoked your API tokens."
            )
            await self._tell(person, subject, says, if_wrong=_ASK)
        else:
            says = "The password of your account was changed. You are signed out everywhere else."
            await self._tell(person, subject, says)

    async def address_changed(self, person: Account, old: str, new: str) -> None:
        """To the old address: whoever took the account over reads the new one."""
        says = f"The email address of your account is now {new}. No more mail about it is sent to this address."
        wrong = "If this was not you, somebody else has taken over your account: tell an administrator at once."
        await self._tell(person, "Your email address was changed", says, to=old, if_wrong=wrong)

    async def token_created(self, person: Account, token: str) -> None:
        says = (
            f"A new API token, “{linkless(token)}”, was created for your account. Programs can use it to act for you."
        )
        await self._tell(person, "A new API token was created", says)

    async def second_factor_added(self, person: Account) -> None:
        says = "From now on, signing in to your account needs a code from an authenticator app as well as the password."
        await self._tell(person, "A second factor was added", says)

    async def second_factor_removed(self, person: Account, *, by: str = "") -> None:
        who = f"The administrator {linkless(by)} has removed" if by else "You have removed"
        says = f"{who} the second factor of your account. Signing in now needs only the password."
        await self._tell(person, "The second factor was removed", says, if_wrong=_ASK if by else _NOT_YOU)

    async def recovery_used(self, person: Account, left: int) -> None:
        number = {0: "None is left", 1: "One is left"}.get(left, f"{left} are left")
        says = (
            f"A recovery code was used to sign in to your account, or to confirm an action. {number}:"
            " you can get new ones on your account page."
        )
        await self._tell(person, "A recovery code was used", says)

    async def code_entered_again(self, person: Account, step: int) -> None:
        """Once for each code, whose time step this is."""
        says = (
            "A code from your authenticator app was entered a second time and was refused: each code works once."
            " If you entered it twice yourself, there is nothing to do."
        )
        wrong = (
            "If this was not you, somebody else may know your password and have seen the code: change your password at"
            " once and tell an administrator."
        )
        await self._tell(person, "A code was entered twice", says, if_wrong=wrong, cause=f"step {step}")

    async def _tell(
        self,
        person: Account,
        subject: str,
        says: str,
        *,
        to: str | None = None,
        if_wrong: str | None = None,
        cause: str | None = None,
    ) -> None:
        address = to or person.email
        if address is None:  # nobody has confirmed one
            return
        # What is told, and when unless its cause is named: telling it twice at one moment is telling it once.
        told = "\n".join((person.user_id, address, subject, says, cause or self._kit.timestamp()))
        mail_id = f"account-{blake2s(told.encode(errors='replace'), digest_size=16).hexdigest()}"
        base_url = self._kit.settings.base_url
        await self._kit.queue.add(
            mail(address, person.name, subject, (says, if_wrong or _NOT_YOU), base_url=base_url, id=mail_id)
        )
