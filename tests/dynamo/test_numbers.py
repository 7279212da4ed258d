"""Numbers: 38 digits, 1E-130 to 9.99E+125, one value whatever the spelling."""

from __future__ import annotations

from decimal import Context, Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from partita.dynamo import numbers
from partita.dynamo.errors import ValidationError
from partita.dynamo.value_faults import ValueFaultError
from tests.dynamo.strategies import decimals
from tests.dynamo.strategies import numbers as number_texts

_EXACT = Context(prec=500, Emax=10_000, Emin=-10_000)


@pytest.mark.parametrize(
    ("spelling", "stored"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("0.000", "0"),
        ("0e125", "0"),
        ("-0.00e-128", "0"),
        ("+5", "5"),
        ("007", "7"),
        ("1.50", "1.5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e3", "1000"),
        ("1E+3", "1000"),
        ("12.5e-3", "0.0125"),
        ("-1200e-2", "-12"),
        ("1E-130", "0." + "0" * 129 + "1"),
        ("9.9999999999999999999999999999999999999E+125", "9" * 38 + "0" * 88),
        ("-9.9999999999999999999999999999999999999E+125", "-" + "9" * 38 + "0" * 88),
        ("0" * 500 + "1" + "0" * 100, "1" + "0" * 100),
    ],
)
def test_a_number_is_stored_without_exponent_and_without_zeros_that_say_nothing(spelling: str, stored: str) -> None:
    assert numbers.canonical(spelling) == stored


@pytest.mark.parametrize(
    "text",
    ["", " ", "abc", "1a", "NaN", "Infinity", "-Infinity", "1e", "e5", ".", "+", "--1", "1 ", " 1", "1_000", "0x10"],
)
def test_what_is_no_decimal_number_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="The parameter cannot be converted to a numeric value"):
        numbers.canonical(text)


def test_digits_of_other_scripts_are_no_numbers() -> None:
    with pytest.raises(ValidationError):
        numbers.canonical("١٢٣")


@pytest.mark.parametrize("text", ["1e126", "10e125", "-1e126", "1" + "0" * 126, "0e126", "0.0e127"])
def test_a_magnitude_above_the_range_overflows(text: str) -> None:
    with pytest.raises(ValidationError, match=r"^Number overflow\. Attempting to store a number with magnitude larger"):
        numbers.canonical(text)


@pytest.mark.parametrize("text", ["1e-131", "0.1e-130", "-1e-131", "9.9e-131", "0e-131", "0.0e-130"])
def test_a_magnitude_below_the_range_underflows(text: str) -> None:
    with pytest.raises(
        ValidationError, match=r"^Number underflow\. Attempting to store a number with magnitude smaller"
    ):
        numbers.canonical(text)


_NONE = "The parameter cannot be converted to a numeric value"
_OVER = "Number overflow. Attempting to store a number with magnitude larger than supported range"
_UNDER = "Number underflow. Attempting to store a number with magnitude smaller than supported range"


@pytest.mark.parametrize(
    ("text", "before", "today"),
    [
        ("1e2147483646", _OVER, _OVER),
        ("1e2147483647", _UNDER, _OVER),  # 32 bits went round
        ("1e-2147483647", _UNDER, _UNDER),
        ("1.5e-2147483647", f"{_NONE}: 1.5e-2147483647", _UNDER),
        ("1e2147483648", f"{_NONE}: 1e2147483648", _OVER),
        ("1e-2147483648", f"{_NONE}: 1e-2147483648", _UNDER),
        ("-1e99999999999", f"{_NONE}: -1e99999999999", _OVER),
        ("1e9223372036854775807", f"{_NONE}: 1e9223372036854775807", _OVER),
        ("1e9223372036854775808", f"{_NONE}: 1e9223372036854775808", f"{_NONE}: 1e9223372036854775808"),
        ("1e-" + "9" * 5000, f"{_NONE}: 1e-{'9' * 97}", f"{_NONE}: 1e-{'9' * 97}"),
        ("", _NONE, f"{_NONE}: "),
    ],
)
def test_what_is_far_out_of_range_has_two_wordings(text: str, before: str, today: str) -> None:
    with pytest.raises(ValueFaultError) as caught:
        numbers.canonical(text)
    assert (caught.value.message, caught.value.current) == (before, today)


def test_a_difference_of_nothing_is_zero_however_small_its_last_digit() -> None:
    smallest = "1." + "1" * 37 + "e-130"
    assert numbers.subtract(numbers.canonical(smallest), numbers.canonical(smallest)) == "0"


def test_38_digits_are_kept_and_39_are_refused() -> None:
    assert numbers.canonical("1" * 38) == "1" * 38
    assert numbers.canonical("0." + "1" * 38) == "0." + "1" * 38
    for text in ("1" * 39, "0." + "1" * 39, "1" * 20 + "." + "1" * 19):
        with pytest.raises(ValidationError, match=r"^Attempting to store more than 38 significant digits in a Number$"):
            numbers.canonical(text)


def test_zeros_around_38_digits_do_not_count_as_digits() -> None:
    assert numbers.canonical("000" + "1" * 38 + "000") == "1" * 38 + "000"


@given(decimals())
def test_canonical_spelling_keeps_the_value(number: Decimal) -> None:
    assert Decimal(numbers.canonical(str(number))) == number


@given(decimals())
def test_canonical_spelling_is_its_own_canonical_spelling(number: Decimal) -> None:
    once = numbers.canonical(str(number))
    assert numbers.canonical(once) == once


@given(decimals(), st.integers(0, 5))
def test_equal_numbers_have_one_spelling(number: Decimal, zeros: int) -> None:
    assume(number)
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    padded = Decimal((sign, digits + (0,) * zeros, exponent - zeros))
    assert numbers.canonical(f"{padded:E}") == numbers.canonical(str(number))


@given(number_texts, number_texts)
def test_numbers_compare_by_value(left: str, right: str) -> None:
    first, second = Decimal(left), Decimal(right)
    assert numbers.compare(left, right) == (first > second) - (first < second)


@given(number_texts, number_texts)
def test_arithmetic_is_exact_or_refused(left: str, right: str) -> None:
    for operation, exact in (
        (numbers.add, _EXACT.add(Decimal(left), Decimal(right))),
        (numbers.subtract, _EXACT.subtract(Decimal(left), Decimal(right))),
    ):
        try:
            result = operation(left, right)
        except ValidationError:
            digits = len(str(exact.normalize(_EXACT).as_tuple().digits)) // 3
            assert digits > 38 or exact.adjusted() > 125 or exact.adjusted() < -130
        else:
            assert Decimal(result) == exact


def test_a_tenth_and_two_tenths_are_three_tenths() -> None:
    assert numbers.add("0.1", "0.2") == "0.3"
    assert numbers.subtract("0.3", "0.1") == "0.2"


def test_a_sum_beyond_the_range_overflows() -> None:
    most = "9" * 38 + "0" * 88
    with pytest.raises(ValidationError, match="Number overflow"):
        numbers.add(most, most)


def test_a_sum_that_needs_39_digits_is_refused() -> None:
    with pytest.raises(ValidationError, match="Number overflow"):
        numbers.add("1" + "0" * 38, "1")


@given(number_texts)
def test_size_is_about_a_byte_per_two_digits_and_one_more(text: str) -> None:
    digits = len(text.lstrip("-").replace(".", "").strip("0"))
    documented = (digits + 1) // 2 + 1
    # The guide says "approximately": a sign and a pair cut by the decimal point cost a byte each.
    assert documented <= numbers.size(text) <= documented + 2
    assert numbers.size(text) <= 21


@pytest.mark.parametrize(
    ("text", "size"), [("0", 1), ("1", 2), ("12", 2), ("123", 3), ("-1", 3), ("1000", 2), ("0.5", 2)]
)
def test_size_of_everyday_numbers(text: str, size: int) -> None:
    assert numbers.size(text) == size
