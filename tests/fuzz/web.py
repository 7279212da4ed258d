"""Hostile requests to pages and APIs: real ones bent in random places, in the name of people with every role.

What answers tell of (links, forms, names of things) is what later requests are about.
"""

from __future__ import annotations

import gzip
import http.client
import json
import random
import re
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import psutil

from partita.web.samples import sample
from tests.fuzz.door import BROKEN, Outcome, megabytes
from tests.fuzz.pages import Form, Offered
from tests.fuzz.people import Who
from tests.fuzz.requests import bent
from tests.web.seen import Seen

Header = tuple[bytes, bytes]
_MARK = "fz7\"><img src=x onerror=fz7>'"
"""Nobody may ever see this as it stands in a page."""
_TEXTS = (
    "",
    " ",
    "0",
    "-1",
    "²",
    "９",
    "\u0000",
    "a\u0000b",
    "\u202egnp.exe",
    "\ud800",
    "é" * 300,
    "x" * 70_000,
    "../../../../etc/passwd",
    "..\\..\\",
    "%2e%2e%2f",
    "//evil.example/",
    "https://evil.example",
    "javascript:alert(1)",
    "http://127.0.0.1:22/",
    "http://169.254.169.254/latest/meta-data/",
    "=cmd|' /C calc'!A0",
    "a;=1+1;\t@SUM(1)\n=1",
    "a\r\nSet-Cookie: fz=1",
    "{{7*7}}${7*7}",
    "' OR 1=1 --",
    "[x](javascript:alert(1)) <script>fz7</script> ![](x)",
    "#" * 40 + "\n" + "> " * 300,
    "[" * 3000,
    "*a " * 3000,
    "9" * 400,
    "1e400",
    "NaN",
    "true",
    "null",
    "2026-02-30",
    "0001-01-01T00:00:00Z",
    "99999-01-01",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 20,
    _MARK,
)
_PATHS = (
    "%00",
    "%ff%fe",
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e",
    "a" * 3000,
    "%F0%9F%98%80",
    ";x=1",
    "%0d%0aX:1",
    "-",
    "~",
    "*",
)
_TYPES = (
    b"application/json",
    b"application/json; charset=utf-16",
    b"application/x-www-form-urlencoded",
    b"multipart/form-data; boundary=fz",
    b"multipart/form-data",
    b"multipart/form-data; boundary=" + b"x" * 300,
    b"text/plain",
    b"application/octet-stream",
    b"",
    b"\xff/\xfe",
)
_MANY = tuple(b"{" + b",".join(b'"%x":0' % key for key in range(keys)) + b"}" for keys in (9_000, 105_000))
"""Fields that no model has: each takes a hundred times its bytes when it is refused."""
_ODD: tuple[Header, ...] = (
    (b"Range", b"bytes=0-0,1-1,2-2,-5"),
    (b"Range", b"bytes=99999999999999999999-"),
    (b"If-None-Match", b'W/"x", *, "' + b"y" * 4000 + b'"'),
    (b"If-Modified-Since", b"yesterday"),
    (b"Accept-Encoding", b"gzip;q=nan, *;q=-1"),
    (b"Accept-Language", b"xx-" * 500),
    (b"Accept", b"text/html;q=9e99"),
    (b"Cookie", b"partita=" + b"\xff" * 100 + b"; flash=" + b"x" * 3000 + b"; theme=fz7"),
    (b"Cookie", b'a="\\777"; ; =; partita-flash=e30.e30'),
    (b"Authorization", b"Bearer \xff\xfe"),
    (b"Authorization", b"Basic Og=="),
    (b"Authorization", b"Bearer eyJhbGciOiJub25lIn0.e30."),
    (b"HX-Request", b"true"),
    (b"HX-Current-URL", b"http://[::1"),
    (b"Referer", b"http://[evil"),
    (b"Origin", b"http://["),
    (b"Origin", b"null"),
    (b"X-Request-ID", b"x" * 64),
    (b"X-Forwarded-For", b"::1, 127.0.0.1, x"),
    (b"Content-Encoding", b"gzip"),
    (b"Expect", b"100-continue"),
    (b"X-HTTP-Method-Override", b"DELETE"),
    (b"Last-Event-ID", b"\xff" * 50),
)
_FORMULA = re.compile(rb"(?:^|[;\t\r\n])\"*[=@]")
_ONLY_AS_VISITOR = re.compile(r"^/(sign-out|account|api/account|admin|api/admin|api/house|theme)")
"""What would end sessions and take roles away, after which all others would be visitors."""


class WebFuzzer:
    """One server, and everything that was learned of it."""

    def __init__(self, url: str, pid: int, people: Sequence[Who], seed: int) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "", parts.port or 80)
        self._host = parts.netloc.encode()
        self._process = psutil.Process(pid)
        self._people = people
        self._dice = random.Random(seed)
        self._seen = Seen()
        self._offered = {who.name: Offered(links={"/": None, "/kelifax": None, "/fus": None}) for who in people}
        self.outcome = Outcome(megabytes_before=megabytes(self._process))
        self._operations = self._described()

    def run(self, count: int, tell: Callable[[str], None] | None = None) -> Outcome:
        """Send so many requests; `tell` is called now and then."""
        for number in range(count):
            who = self._dice.choice(self._people)
            match self._dice.randrange(10):
                case 0:
                    self._raw(who)
                case 1 | 2:
                    self._page(who)
                case 3 | 4 | 5:
                    self._form(who)
                case _:
                    self._api(who)
            if number % 500 == 0:
                self.outcome.megabytes_most = max(self.outcome.megabytes_most, megabytes(self._process))
            if tell is not None and number % 1000 == 0:
                tell(f"{number:,}: {megabytes(self._process):.0f} MB, {len(self.outcome.failures)} failures")
        if not self._process.is_running() or self._ask("GET", b"/healthz", [], b"")[0] != 200:
            self.outcome.failures.append("the server does not serve any more")
        self.outcome.megabytes_after = megabytes(self._process)
        self.outcome.megabytes_most = max(self.outcome.megabytes_most, self.outcome.megabytes_after)
        return self.outcome

    # -- kinds of requests

    def _described(self) -> list[tuple[str, str, dict[str, Any], Any]]:
        """Method, path, operation and a body that fits, for all of the API."""
        _, _, body = self._ask("GET", b"/api/openapi.json", [], b"")
        document = json.loads(body)
        schemas = document["components"]["schemas"]
        found = []
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                content = operation.get("requestBody", {}).get("content", {}).get("application/json")
                made = sample(content["schema"], schemas) if content else None
                found.append((method.upper(), path, operation, made))
        return found

    def _api(self, who: Who) -> None:
        dice = self._dice
        method, template, operation, body = dice.choice(self._operations)
        path = re.sub(r"\{(\w+)\}", lambda found: self._name(found[1]), template)
        given = [each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"]
        query = {name: self._value(name) for name in given if dice.random() < 0.4}
        sent = json.loads(json.dumps(body))
        for _ in range(dice.choice((0, 0, 1, 1, 2, 3))):
            sent = bent(sent, dice, self._junk)
        content = b"" if body is None else json.dumps(sent).encode("utf-8", "surrogatepass")
        if dice.random() < 0.05:
            content = dice.choice((b"{", b"[" * 100_000, b'{"a":' * 20_000, b"\xff", content[: len(content) // 2], b""))
        self._send(who, method, path, query, content, b"application/json")

    def _page(self, who: Who) -> None:
        dice = self._dice
        path, _, query = dice.choice(list(self._offered[who.name].links)).partition("?")
        segments = path.split("/")
        if dice.random() < 0.4:
            segments[dice.randrange(1, len(segments))] = self._name("id")
        pairs = dict(part.partition("=")[::2] for part in query.split("&") if part)
        if pairs and dice.random() < 0.5:
            pairs[dice.choice(list(pairs))] = self._text()
        if dice.random() < 0.3:
            pairs[dice.choice(("q", "cursor", "limit", "sort", "next", "revision", "page", "tag", "after"))] = (
                self._text()
            )
        self._send(
            who,
            dice.choice(("GET", "GET", "GET", "GET", "HEAD", "POST", "DELETE", "OPTIONS")),
            "/".join(segments),
            pairs,
        )

    def _form(self, who: Who) -> None:
        dice = self._dice
        forms = list(self._offered[who.name].forms)
        if not forms:
            self._page(who)
            return
        form: Form = dice.choice(forms)
        fields = [(name, value) for name, value in form.fields if dice.random() < 0.9]
        for _ in range(dice.choice((0, 1, 1, 2, 4))):
            if fields:
                at = dice.randrange(len(fields))
                fields[at] = (fields[at][0], self._text())
        if dice.random() < 0.05:
            fields += [(f"more{number}", "x") for number in range(dice.choice((10, 1500)))]
        path, _, query = form.action.partition("?")
        pairs = dict(part.partition("=")[::2] for part in query.split("&") if part)
        if form.method == "GET":
            self._send(who, "GET", path, dict(fields))
        elif form.multipart:
            self._send(who, "POST", path, pairs, self._multipart(fields), b"multipart/form-data; boundary=fz")
        else:
            safe = [(name, value.encode("utf-8", "surrogatepass")) for name, value in fields]
            self._send(who, "POST", path, pairs, urlencode(safe).encode(), b"application/x-www-form-urlencoded")

    def _multipart(self, fields: list[tuple[str, str]]) -> bytes:
        dice = self._dice
        pieces = []
        for name, value in fields:
            head = f'Content-Disposition: form-data; name="{name}"'.encode()
            content = value.encode("utf-8", "surrogatepass")
            if dice.random() < 0.4:
                head += dice.choice(
                    (b'; filename="a.svg"', b'; filename="../../x.png"', b'; filename="\xff"', b"; filename*=x")
                )
                head += b"\r\nContent-Type: " + dice.choice(
                    (b"image/svg+xml", b"image/png", b"text/csv", b"application/pdf")
                )
                content = dice.choice(_FILES)
            pieces.append(b"--fz\r\n" + head + b"\r\n\r\n" + content + b"\r\n")
        return b"".join(pieces) + dice.choice((b"--fz--\r\n", b"--fz--\r\n", b"--fz", b""))

    def _raw(self, who: Who) -> None:
        dice = self._dice
        if dice.random() < 0.3:
            with (
                suppress(OSError, http.client.HTTPException, ValueError),
                socket.create_connection(self._address, 5) as wire,
            ):
                wire.sendall(dice.choice(BROKEN))
                wire.shutdown(socket.SHUT_WR)
                answer = wire.recv(65536)
                if answer.startswith(b"HTTP/1.1 5"):
                    self.outcome.failures.append(f"malformed: {answer[:200]!r}")
            return
        if dice.random() < 0.05:
            self._send(who, "POST", "/api/kelifax/resources", {}, dice.choice(_MANY), b"application/json")
            return
        path = "/" + "/".join(dice.choice(_PATHS) for _ in range(dice.randrange(1, 5)))
        method = dice.choice(("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"))
        self._send(who, method, path, {"x": self._text()}, dice.randbytes(dice.randrange(50)), dice.choice(_TYPES))

    # -- junk

    def _text(self) -> str:
        return self._dice.choice(_TEXTS)

    def _junk(self, _dice: random.Random) -> Any:
        dice = self._dice
        return dice.choice(
            (
                None,
                True,
                0,
                -1,
                2**63,
                2**70,
                1e308,
                [],
                {},
                [[]],
                {"a": {}},
                [None],
                [self._text()] * 30,
                self._text(),
                self._text(),
                self._text(),
            )
        )

    def _name(self, parameter: str) -> str:
        dice = self._dice
        known = self._seen.for_parameter(parameter, dice.randrange(1000)) if dice.random() < 0.7 else None
        if known is not None:
            return quote(known, safe="")
        return (
            dice.choice(_PATHS)
            if dice.random() < 0.5
            else quote(self._text()[:900].encode("utf-8", "surrogatepass"), safe="")
        )

    def _value(self, parameter: str) -> str:
        if self._dice.random() < 0.4:
            return self._seen.for_parameter(parameter, self._dice.randrange(100)) or "1"
        return self._text()

    # -- sending and judging

    def _send(
        self, who: Who, method: str, path: str, query: dict[str, str], body: bytes = b"", kind: bytes = b""
    ) -> None:
        dice = self._dice
        if _ONLY_AS_VISITOR.match(path) and method != "GET":
            who = Who()
        asked = {name[:2000]: value[:9000].encode("utf-8", "surrogatepass") for name, value in query.items()}
        target = path.encode() + (b"?" + urlencode(asked).encode() if asked else b"")
        headers = who.headers(dice, api=path.startswith("/api"))
        if dice.random() < 0.15:
            headers += dice.sample(_ODD, dice.randrange(1, 4))
        if kind:
            headers.append((b"Content-Type", dice.choice(_TYPES) if dice.random() < 0.05 else kind))
        shown = f"{who.name}: {method} {target[:300]!r} {headers!r} {body[:400]!r}"
        try:
            status, answered, content = self._ask(method, target, headers, body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.outcome.failures.append(f"{shown}: {error!r}")
            return
        self.outcome.statuses[status] += 1
        self._judge(shown, status, answered, content)
        self._learn(who, target.decode(), answered, content)

    def _ask(
        self, method: str, target: bytes, headers: list[Header], body: bytes
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Exactly these bytes, on a connection of their own: any of them may break it."""
        head = [method.encode() + b" " + target + b" HTTP/1.1", b"Host: " + self._host, b"Connection: close"]
        head += [name + b": " + value for name, value in headers]
        if body and self._dice.random() < 0.1:
            head.append(b"Transfer-Encoding: chunked")
            step = self._dice.choice((1, 7, 4096)) if len(body) < 2000 else 4096
            pieces = (body[at : at + step] for at in range(0, len(body), step))
            body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        elif body or method in ("POST", "PUT", "PATCH"):
            head.append(b"Content-Length: %d" % len(body))
        with socket.create_connection(self._address, timeout=60) as wire:
            # A server that refuses early may close while we still send: its answer is there to be read.
            with suppress(BrokenPipeError, ConnectionResetError):
                wire.sendall(b"\r\n".join(head) + b"\r\n\r\n" + body)
            response = http.client.HTTPResponse(wire, method=method)
            response.begin()
            if response.headers.get_content_type() == "text/event-stream":
                return response.status, response.headers, b""
            content = response.read()
            response.close()
        if response.headers.get("content-encoding") == "gzip" and content:
            content = gzip.decompress(content)
        return response.status, response.headers, content

    def _judge(self, shown: str, status: int, headers: http.client.HTTPMessage, content: bytes) -> None:
        fail = self.outcome.failures.append
        if status >= 500:
            fail(f"{shown}: {status} {content[:300]!r}")
        if "fz" in headers.get("set-cookie", "").partition("=")[0]:
            fail(f"{shown}: a header of ours was made by them: {headers.get('set-cookie')}")
        where = headers.get("location", "")
        if where and not re.match(r"/(?![/\\])", where) and not where.startswith(f"http://{self._host.decode()}/"):
            fail(f"{shown}: leads away, to {where}")
        if status < 400 and headers.get_content_type() == "text/html":
            page = content.decode("utf-8", "replace")
            if "<img src=x onerror" in page or "<script>fz7" in page or 'href="javascript:' in page:
                fail(f"{shown}: what they wrote is in the page as it stands")
        if headers.get_content_type() == "text/csv" and _FORMULA.search(content):
            fail(f"{shown}: a spreadsheet runs a cell of this: {content[:300]!r}")
        if headers.get("x-content-type-options") != "nosniff" and status not in (400, 408, 431):
            fail(f"{shown}: no security headers with {status}")

    def _learn(self, who: Who, path: str, headers: http.client.HTTPMessage, content: bytes) -> None:
        if headers.get_content_type() == "application/json" and len(self._seen.texts) < 2000:
            with suppress(ValueError):
                self._seen.look(json.loads(content))
        elif headers.get_content_type() == "text/html":
            self._offered[who.name].look(path, content.decode("utf-8", "replace"))


_FILES = (
    b"",
    b"<svg xmlns='http://www.w3.org/2000/svg' onload='fz7()'><script>fz7</script></svg>",
    b"<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]><svg>&b;</svg>",
    b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x06\x00\x00\x00" + bytes(40),
    b"GIF89a\xff\xff\xff\xff" + bytes(30),
    b"%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(fz7)>>>>endobj",
    b"PK\x03\x04" + b"\xff" * 60,
    b"title,year\n=cmd|' /C calc'!A0,1999\n" + b'"' * 50,
    b"RIFF\xff\xff\xff\xffWEBP" + bytes(40),
)
