"""DynamoDB's numbers: 38 significant digits, 1E-130 to 9.99E+125, kept and compared by value."""

from __future__ import annotations

import re
from decimal import Context, Decimal

from partita.dynamo.errors import ValidationError
from partita.dynamo.value_faults import ValueFaultError

DIGITS = 38
HIGHEST_EXPONENT = 125
LOWEST_EXPONENT = -130

# Wide enough that adding 1E+125 and 1E-130 is exact; the result is then checked like any other number.
_EXACT = Context(prec=420, Emax=10_000, Emin=-10_000)
# Ordinary numbers in their one spelling, far from every limit; what is none of these is looked at more closely.
ordinary = re.compile(r"(?:0|-?(?:[1-9][0-9]{0,37}|(?:0|[1-9][0-9]{0,18})\.[0-9]{0,17}[1-9]))\Z").match
_NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?)([0-9]+))?\Z")
_MOST_BYTES = 21
_MOST_EXPONENT_DIGITS = 20
_TOO_LONG = "Attempting to store more than 38 significant digits in a Number"
_OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
_UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
_NO_NUMBER = "The parameter cannot be converted to a numeric value"
_SHOWN = 100


def canonical(text: str) -> str:
    """The one spelling DynamoDB stores: plain notation, no exponent, no zeros that say nothing."""
    if ordinary(text):
        return text
    negative, digits, exponent = decompose(text)
    if not digits:
        return "0"
    point = exponent + 1
    if point <= 0:
        plain = "0." + "0" * -point + digits
    elif point >= len(digits):
        plain = digits + "0" * (point - len(digits))
    else:
        plain = digits[:point] + "." + digits[point:]
    return "-" + plain if negative else plain


def decompose(text: str) -> tuple[bool, str, int]:
    """Sign, significant digits (none for zero) and the exponent of the first digit; refuses what DynamoDB refuses."""
    match = _NUMBER.match(text)
    if match is None or not (match[2] or match[3]):
        raise _no_number(text)
    sign, whole, fraction, exponent_sign, exponent_digits = match.groups("")
    digits = whole + fraction
    leading = digits.lstrip("0")
    significant = leading.rstrip("0")
    exponent_digits = exponent_digits.lstrip("0")
    # A longer exponent is out of range whatever the digits are; int() would refuse or crawl.
    shift = int(f"{exponent_sign}{exponent_digits[:_MOST_EXPONENT_DIGITS]}") if exponent_digits else 0
    # Of a zero the last digit counts, as there is no first one.
    exponent = shift + len(whole) - 1 - (len(digits) - max(len(leading), 1))
    if not LOWEST_EXPONENT <= exponent <= HIGHEST_EXPONENT:
        raise _out_of_range(text, shift, exponent, len(fraction), max(len(leading), 1))
    if len(significant) > DIGITS:
        raise ValueFaultError(_TOO_LONG)
    if not significant:
        return False, "", 0
    return sign == "-", significant, exponent


def _no_number(text: str) -> ValueFaultError:
    shown = f"{_NO_NUMBER}: {text[:_SHOWN]}"
    return ValueFaultError(shown if text else _NO_NUMBER, shown)


def _out_of_range(text: str, shift: int, exponent: int, decimals: int, digits: int) -> ValueFaultError:
    """An exponent beyond the range: today's checks read one of 64 bits, those before read as Java does, 32 bits that
    go round."""
    found = _OVERFLOW if exponent > HIGHEST_EXPONENT else _UNDERFLOW
    current = found if -(2**63) <= shift < 2**63 else f"{_NO_NUMBER}: {text[:_SHOWN]}"
    scale = decimals - shift
    if not (-(2**31) <= shift < 2**31 and -(2**31) <= scale < 2**31):
        return ValueFaultError(f"{_NO_NUMBER}: {text[:_SHOWN]}", current)
    wrapped = (digits - scale + 2**31) % 2**32 - 2**31
    return ValueFaultError(_OVERFLOW if wrapped > 0 else _UNDERFLOW, current)


def add(left: str, right: str) -> str:
    """The exact sum, refused when it does not fit."""
    return _result(_EXACT.add(Decimal(left), Decimal(right)))


def subtract(left: str, right: str) -> str:
    """The exact difference, refused when it does not fit."""
    return _result(_EXACT.subtract(Decimal(left), Decimal(right)))


def _result(number: Decimal) -> str:
    if not number:
        return "0"  # its exponent says how it came about, not what it is
    try:
        return canonical(str(number))
    except ValidationError as error:
        # A written number of so many digits is told otherwise.
        raise ValidationError(_OVERFLOW if error.message == _TOO_LONG else error.message) from None


def compare(left: str, right: str) -> int:
    """Less than, equal or greater: -1, 0, 1."""
    if left == right:
        return 0
    first, second = Decimal(left), Decimal(right)
    return (first > second) - (first < second)


def size(text: str) -> int:
    """Bytes a canonical number takes: one, plus one per two digits aligned at even exponents, plus one if negative.

    The guide's most are 21 bytes, which a negative number of 38 digits with cut pairs would pass by one.
    """
    if text == "0":
        return 1
    negative = text[0] == "-"
    digits = text[1:] if negative else text
    if "." in digits:
        _, significant, exponent = decompose(digits)
        count = len(significant)
    else:
        count, exponent = len(digits.rstrip("0")), len(digits) - 1
    aligned = 0 if count % 2 or exponent % 2 else 1
    return min(1 + (count + 1) // 2 + aligned + negative, _MOST_BYTES)
