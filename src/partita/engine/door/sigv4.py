"""Checks a request's AWS Signature Version 4: who signed it, within which time, and whether the signature is right."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes

from partita.dynamo.errors import (
    IncompleteSignatureError,
    InvalidSignatureError,
    MissingAuthenticationError,
    UnrecognizedClientError,
)
from partita.dynamo.frozen import dataclass
from partita.dynamo.signature import ALGORITHM, SERVICE, TERMINATOR, TIMESTAMP, canonical_request, signature, wire

SKEW = timedelta(minutes=15)
_SEPARATORS = re.compile(r"[,\s]+")
_TIMESTAMP = re.compile(r"[0-9]{8}T[0-9]{6}Z")


def verify(
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    body: bytes,
    keys: Mapping[str, str],
    now: datetime,
) -> None:
    """Raise unless the signature is right; header names are lower-case, `path` and `query` as received."""
    verify_signature(read_claim(headers, keys, now), method, path, query, headers, body)


@dataclass(frozen=True, slots=True)
class Claim:
    """Who signed, when and for what; the signature itself is not verified yet."""

    secret: str = field(repr=False)
    moment: str
    region: str
    service: str
    signed_headers: tuple[str, ...]
    signature: str = field(repr=False)
    access_key: str = ""


def read_claim(headers: Mapping[str, str], keys: Mapping[str, str], now: datetime) -> Claim:
    """The request's claim, after all checks that need no body, in DynamoDB's order."""
    authorization = headers.get("authorization", "").strip()
    if not authorization.startswith("AWS4-"):
        raise MissingAuthenticationError("Request is missing Authentication Token")
    algorithm, _, rest = authorization.partition(" ")
    if _TIMESTAMP.fullmatch(headers.get("x-amz-date", "")):
        _check_clock(headers["x-amz-date"], now)  # told before anything else is wrong
    parts = _parts(rest)
    moment = _moment(headers, parts)
    _check_clock(moment, now)
    signed_headers = tuple(parts["SignedHeaders"].lower().split(";"))
    for name in ("host", "x-amz-target"):
        if name in headers and name not in signed_headers:
            raise InvalidSignatureError(f"'{name.title()}' must be a 'SignedHeader' in the AWS Authorization.")
    if algorithm != ALGORITHM:
        raise IncompleteSignatureError(f"Unsupported AWS 'algorithm': '{algorithm}' (only {ALGORITHM} for now). ")
    credential = parts["Credential"].rstrip("/").split("/")
    if len(credential) != 5:
        raise IncompleteSignatureError(
            "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
            f"got '{parts['Credential']}'"
        )
    access_key, date, region, service, terminator = credential
    _check_scope(date, service, terminator, moment)
    secret = keys.get(access_key)
    if secret is None:
        raise UnrecognizedClientError("The security token included in the request is invalid.")
    return Claim(secret, moment, region, service, signed_headers, parts["Signature"], access_key)


def verify_signature(claim: Claim, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> None:
    """Raise unless the claim's signature is the one its secret makes for this request."""
    encoded = quote(path, safe="/~")
    request = canonical_request(method, encoded, canonical_query(query), headers, claim.signed_headers, body)
    expected = signature(request, claim.secret, claim.moment, claim.region, claim.service)
    if not hmac.compare_digest(expected.encode(), wire(claim.signature)):
        raise InvalidSignatureError(
            "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
            "Access Key and signing method. Consult the service documentation for details."
        )


def canonical_query(query: str) -> str:
    """A query string with normalised and sorted parameters."""
    if not query:
        return ""
    parts = (part.partition("=") for part in query.split("&") if part)
    pairs = sorted((_encoded(name), _encoded(value)) for name, _, value in parts)
    return "&".join(f"{name}={value}" for name, value in pairs)


def _parts(text: str) -> dict[str, str]:
    parts = {}
    for part in _SEPARATORS.split(text.strip()):
        name, equals, value = part.partition("=")
        if name and not equals:
            raise IncompleteSignatureError(
                f"'{name}' not a valid key=value pair (missing equal-sign) in Authorization header."
            )
        parts[name] = value
    return parts


def _moment(headers: Mapping[str, str], parts: Mapping[str, str]) -> str:
    complaints = [
        f"Authorization header requires '{name}' parameter. "
        for name in ("Credential", "Signature", "SignedHeaders")
        if not parts.get(name)
    ]
    moment = headers.get("x-amz-date", "")
    if not moment and "date" in headers:
        moment = _from_http_date(headers["date"])
    if not moment:
        complaints.append("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")
    if complaints:
        raise IncompleteSignatureError("".join(complaints).rstrip())
    return moment


def _from_http_date(text: str) -> str:
    try:
        return parsedate_to_datetime(text).astimezone(UTC).strftime(TIMESTAMP)
    except ValueError:
        return text


def _check_clock(moment: str, now: datetime) -> None:
    at = _instant(moment)
    if at < now - SKEW:
        edge = (now - SKEW).strftime(TIMESTAMP)
        raise InvalidSignatureError(
            f"Signature expired: {moment} is now earlier than {edge} ({now.strftime(TIMESTAMP)} - 15 min.)"
        )
    if at > now + SKEW:
        edge = (now + SKEW).strftime(TIMESTAMP)
        raise InvalidSignatureError(
            f"Signature not yet current: {moment} is still later than {edge} ({now.strftime(TIMESTAMP)} + 15 min.)"
        )


@lru_cache(maxsize=64)
def _instant(moment: str) -> datetime:
    try:
        return datetime.strptime(moment, TIMESTAMP).replace(tzinfo=UTC)
    except ValueError:
        raise IncompleteSignatureError(f"Date must be in ISO-8601 'basic format'. Got '{moment}'.") from None


def _check_scope(date: str, service: str, terminator: str, moment: str) -> None:
    complaints = []
    if service != SERVICE:
        complaints.append(f"Credential should be scoped to correct service: '{SERVICE}'. ")
    if terminator != TERMINATOR:
        complaints.append(f"Credential should be scoped with a valid terminator: '{TERMINATOR}', not '{terminator}'. ")
    if date != moment[:8]:
        complaints.append(
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
            f"'{date}' != '{moment[:8]}', from '{moment}'."
        )
    if complaints:
        raise InvalidSignatureError("".join(complaints).rstrip())


def _encoded(text: str) -> str:
    # The received text may be encoded or not, with upper-case or lower-case digits.
    return quote(unquote_to_bytes(wire(text)), safe="-_.~")
