"""Rate limits are exact, for all at once, and say when to try again."""

from __future__ import annotations

import asyncio
import ipaddress
import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.kit.limits import Limits, Rule, network_of, too_many
from partita.kit.problems import TooMany
from partita.kit.schema import tally
from partita.store import EmbeddedStore
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio
RULE = Rule("submit", most=3, seconds=600)


@pytest.fixture
def limits(house: EmbeddedStore, clock: HandClock) -> Limits:
    return Limits(house.asynchronous, clock)


async def test_so_many_times_and_then_not_until_the_window_is_over(limits: Limits, clock: HandClock) -> None:
    for _ in range(3):
        await limits.check(RULE, "ada")
    clock.forward(minutes=4)
    with pytest.raises(TooMany) as refused:
        await limits.check(RULE, "ada")
    assert refused.value.headers == {"Retry-After": "360"}
    assert refused.value.detail == "Too many attempts. Try again in 6 minutes."
    clock.forward(minutes=6)
    await limits.check(RULE, "ada")


async def test_people_and_rules_are_counted_apart(limits: Limits) -> None:
    once = Rule("once", most=1, seconds=60)
    await limits.check(once, "ada")
    await limits.check(once, "bob")
    await limits.check(Rule("other", most=1, seconds=60), "ada")
    with pytest.raises(TooMany):
        await limits.check(once, "ada")


@pytest.mark.parametrize("most", [1, 7])
async def test_of_many_at_once_exactly_as_many_as_allowed_get_through(limits: Limits, most: int) -> None:
    rule = Rule("race", most=most, seconds=60)
    outcomes = await asyncio.gather(*(limits.check(rule, "all") for _ in range(50)), return_exceptions=True)
    assert sum(outcome is None for outcome in outcomes) == most
    assert sum(isinstance(outcome, TooMany) for outcome in outcomes) == 50 - most


async def test_a_refusal_writes_nothing_and_what_was_typed_is_not_stored(
    limits: Limits, house: EmbeddedStore, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    rule = Rule("sign-in", most=1, seconds=60)
    await limits.check(rule, "hunter2#")
    with pytest.raises(TooMany):
        await limits.check(rule, "hunter2#")
    (row,) = house.engine.call("Scan", {"TableName": "partita-house"})["Items"]
    assert row["count"] == {"N": "1"}
    assert "hunter2" not in str(row) + caplog.text
    ends = int(clock.now().timestamp() // 60 + 1) * 60
    assert row["expiresAt"] == {"N": str(ends)}
    who = row["PK"]["S"].rpartition("#")[2]
    found = house.get(tally("sign-in", who, ends // 60 - 1))
    assert found is not None
    assert found.count == 1


@pytest.mark.parametrize(("name", "most", "seconds"), [("", 1, 1), ("a#b", 1, 1), ("a", 0, 1), ("a", 1, 0)])
def test_a_rule_that_means_nothing_is_refused(name: str, most: int, seconds: int) -> None:
    with pytest.raises(ValueError, match="is invalid"):
        Rule(name, most, seconds)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
    ],
)
def test_ipv6_is_counted_by_line_and_not_by_address(address: str, network: str) -> None:
    assert network_of(address) == network


def test_short_waits_are_told_in_seconds() -> None:
    assert "in 59 seconds" in too_many(59).detail
    assert "in 3 minutes" in too_many(121).detail


def _v6(interface: int, network: int = 0x2001_0DB8_0000_0001) -> str:
    return str(ipaddress.IPv6Address(network << 64 | interface))


@given(st.lists(st.integers(0, 2**64 - 1), min_size=4, max_size=4, unique=True))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_addresses_of_a_network_count_as_one_for_every_rule(interfaces: list[int]) -> None:
    counted = [network_of(_v6(each)) for each in interfaces]
    assert len(set(counted)) == 1
    assert network_of(_v6(interfaces[0], 0x2001_0DB8_0000_0002)) not in counted


@given(st.integers(0, 2**32 - 1))
def test_an_ipv4_address_written_as_ipv6_is_the_same_one(number: int) -> None:
    plain = ipaddress.IPv4Address(number)
    assert network_of(f"::ffff:{plain}") == network_of(str(plain)) == str(plain)


async def test_an_address_is_counted_by_its_network_without_being_asked(limits: Limits) -> None:
    """Whoever has a /64 has 2⁶⁴ addresses; a rule that forgot about networks would never refuse them."""
    for number in range(3):
        await limits.check(RULE, _v6(number))
    with pytest.raises(TooMany):
        await limits.check(RULE, _v6(99))
    await limits.check(RULE, _v6(0, 0x2001_0DB8_0000_0002))
    await limits.check(RULE, "::ffff:192.0.2.9")
    for _ in range(2):
        await limits.check(RULE, "192.0.2.9")
    with pytest.raises(TooMany):
        await limits.check(RULE, "::ffff:192.0.2.9")
