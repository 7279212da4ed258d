"""Whose visit counts: people's, not those of programs, nor of browsers that fetch a page before anybody asks for it."""

from __future__ import annotations

import re
from hashlib import blake2s

from starlette.requests import Request

from partita.kit.answers import address_of
from partita.kit.limits import network_of

_PROGRAM = re.compile(
    r"bot\b|bot/|crawl|spider|slurp|archive|preview|monitor|scan|fetch|headless|lighthouse|facebookexternalhit"
    r"|^(curl|wget|python|java|go-|okhttp|libwww|ruby|php|perl|node|axios|httpie|postman)",
    re.IGNORECASE,
)
_PERSON = re.compile(r"^(mozilla|opera)/", re.IGNORECASE)


def visitor_of(request: Request) -> str | None:
    """The same text for the same browser at the same place, which nobody can be told by; None if it is no person's."""
    headers = request.headers
    agent = headers.get("user-agent", "")
    early = f"{headers.get('sec-purpose', '')} {headers.get('purpose', '')} {headers.get('x-moz', '')}"
    if request.method != "GET" or not _PERSON.match(agent) or _PROGRAM.search(agent) or "prefetch" in early.lower():
        return None
    who = f"{network_of(address_of(request))}\n{agent}"
    return blake2s(who.encode(errors="surrogatepass"), digest_size=12).hexdigest()
