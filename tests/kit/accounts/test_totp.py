"""Codes are those of RFC 6238, and each is worth one moment."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.accounts import totp

_SECRET = b"12345678901234567890"


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "287082"),
        (1111111109, "081804"),
        (1111111111, "050471"),
        (1234567890, "005924"),
        (2000000000, "279037"),
        (20000000000, "353130"),
    ],
)
def test_the_codes_are_those_of_the_standard(seconds: int, code: str) -> None:
    """The last six digits of RFC 6238, appendix B."""
    assert totp.code(_SECRET, totp.step_at(seconds)) == code


@given(secret=st.binary(min_size=20, max_size=20), now=st.integers(2, 10**9), away=st.integers(-6, 6))
def test_a_code_works_at_its_time_and_one_step_around_it(secret: bytes, now: int, away: int) -> None:
    near = {totp.code(secret, now + step): now + step for step in (1, 0, -1)}
    code = totp.code(secret, max(0, now + away))
    found = totp.matching_step(secret, code, now)
    assert (found is not None) == (code in near)
    if found is not None:
        assert totp.matching_step(secret, code, now, after=found) in (None, *range(found + 1, now + 2))


@given(st.text(max_size=12))
def test_strange_codes_are_only_wrong(typed: str) -> None:
    assert totp.matching_step(_SECRET, typed, 1) in (None, 0, 1, 2)


def test_what_is_scanned_names_the_site_and_the_account() -> None:
    address = urlsplit(totp.address(_SECRET, issuer="Partita example.org 8080", account="ada"))
    assert (address.scheme, address.netloc) == ("otpauth", "totp")
    assert address.path == "/Partita%20example.org%208080:ada"
    told = parse_qs(address.query)
    assert told == {"secret": [totp.spelled(_SECRET).replace(" ", "")], "issuer": ["Partita example.org 8080"]}
