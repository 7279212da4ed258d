"""Rate limits: counters in the table, so that they hold for all processes together."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2s

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.kit.clock import Clock
from partita.kit.problems import TooMany
from partita.kit.schema import Tally
from partita.store.store import AsyncStore
from partita.table import Update, any_of


@dataclass(frozen=True, slots=True)
class Rule:
    """At most so many times in so many seconds."""

    name: str
    most: int
    seconds: int

    def __post_init__(self) -> None:
        if not self.name or "#" in self.name or self.most < 1 or self.seconds < 1:
            raise ValueError(f"{self} is invalid: it needs a name without #, and `most` and `seconds` of at least 1")


@dataclass(frozen=True, slots=True)
class Counted:
    """One that was counted, and may be taken back."""

    rule: Rule
    who: str
    window: int


class Limits:
    """Counts exactly, even if many requests come at once."""

    def __init__(self, store: AsyncStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def check(self, rule: Rule, who: str) -> None:
        """Count once more, or refuse until the window ends. Windows are fixed and follow each other.

        If `who` is an address, its whole network counts as one.
        """
        await self.count(rule, who)

    async def count(self, rule: Rule, who: str) -> Counted:
        """The same, for what may turn out not to count."""
        now = self._clock.now().timestamp()
        window = int(now // rule.seconds)
        ends = (window + 1) * rule.seconds
        count = Update(
            Tally.key(Tally.rule(rule.name), Tally.who(counted_as(network_of(who))), Tally.window(window)),
            Tally.count.add(1),
            Tally.expires_at.set(ends),
        ).or_new()
        free = any_of(Tally.count.missing(), Tally.count < rule.most)
        await self._store.write(count.when(free).otherwise(too_many(max(1, round(ends - now)))))
        return Counted(rule, who, window)

    async def take_back(self, counted: Counted) -> None:
        """Undo a count, as if it had not been."""
        rule, who = Tally.rule(counted.rule.name), Tally.who(counted_as(counted.who))
        less = Update(Tally.key(rule, who, Tally.window(counted.window)), Tally.count.add(-1))
        with suppress(ConditionalCheckFailedError):  # the window is over, and its count is gone
            await self._store.write(less.when(Tally.count > 0))


def too_many(seconds: int) -> TooMany:
    """The refusal that says when to try again."""
    wait = f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"
    return TooMany(f"Too many attempts. Try again in {wait}.", retry_after=seconds)


def network_of(address: str) -> str:
    """The network to count requests by: an IPv4 address, or the /64 that one IPv6 connection usually has."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))


def counted_as(who: str) -> str:
    """The digest under which somebody is counted."""
    return blake2s(who.encode(errors="replace"), digest_size=16).hexdigest()
