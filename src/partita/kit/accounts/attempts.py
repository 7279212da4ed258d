"""Guesses are counted: by the name that was typed, by the person it means, and by the network they come from.

The count of a name is told. That of a person is not: else ten wrong guesses of a username, and one of an address, would
tell whether both are the same person's. Such a guess is answered as a wrong password, whatever it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from partita.kit.limits import Counted, Limits, Rule, network_of
from partita.kit.problems import TooMany

# Guessing from one place is stopped soon, and does not lock the owner out elsewhere.
_NAME_FROM_PLACE = Rule("sign-in", most=10, seconds=900)
_PERSON_FROM_PLACE = Rule("sign-in-person", most=10, seconds=900)
# Windows follow each other: of any sixty minutes two take part, so that there are a hundred at most.
_PERSON = Rule("sign-in-anywhere", most=50, seconds=3600)
_PLACE = Rule("sign-in-place", most=200, seconds=900)
_CODES = Rule("second-factor", most=10, seconds=3600)
_CONFIRMATIONS = Rule("confirm", most=10, seconds=900)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A guess that was counted."""

    counted: tuple[Counted, ...]
    in_vain: bool
    """There were too many for this person: even the right password is answered as a wrong one."""


class Attempts:
    """Counts guesses before they are checked, so that many at once are not more; right ones are taken back."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    async def to_sign_in(self, identity: str, person: str | None, address: str) -> Attempt:
        """Count one; `person` is the id of the account with this name, if there is one."""
        name, place = identity.strip().lower()[:400], network_of(address)
        counted = [await self._limits.count(_NAME_FROM_PLACE, f"{place} {name}")]
        if place:
            counted.append(await self._limits.count(_PLACE, place))
        # As many writes for an unknown name as for a known one.
        who = f"user {person}" if person else f"name {name}"
        try:
            counted.append(await self._limits.count(_PERSON_FROM_PLACE, f"{place} {who}"))
            counted.append(await self._limits.count(_PERSON, who))
        except TooMany:
            return Attempt(tuple(counted), in_vain=True)
        return Attempt(tuple(counted), in_vain=False)

    async def of_password(self, person: str) -> Attempt:
        """Count one of somebody who is signed in."""
        return Attempt((await self._limits.count(_CONFIRMATIONS, person),), in_vain=False)

    async def of_code(self, person: str) -> Attempt:
        """Count one at the second factor."""
        return Attempt((await self._limits.count(_CODES, person),), in_vain=False)

    async def succeeded(self, attempt: Attempt) -> None:
        """Do not count this one."""
        for counted in attempt.counted:
            await self._limits.take_back(counted)
