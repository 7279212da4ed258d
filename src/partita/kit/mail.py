"""Mail: sent by SMTP, or kept in the table for administrators to read. What must go out once goes by `mail_queue`."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
import smtplib
import ssl
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from email.policy import default
from email.utils import format_datetime, make_msgid
from hashlib import sha256
from typing import Protocol
from urllib.parse import urlsplit

from partita.kit.clock import Clock, Ids
from partita.kit.problems import NotFound, Unavailable
from partita.kit.schema import KeptFile, KeptMail, kept_mail, newest_mail
from partita.kit.settings import Settings
from partita.store.store import AsyncStore
from partita.table import Page, Put
from partita.table.types import timestamp

_ADDRESS = re.compile(r"\S*@\S*")
UNKEPT_ADDRESS = "an address that is not kept"
_KEPT_DAYS = 30
_KEPT_FILES_BYTES = 200_000
_POLICY = default.clone(max_line_length=900)
"""Long addresses in headers stay whole: of a folded one, mail programs make what they like."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,199}")
_TIMEOUT_SECONDS = 20.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a mail."""

    name: str
    kind: str
    """Its media type, as in `text/csv`."""
    content: bytes = field(repr=False)

    def __post_init__(self) -> None:
        _check_line("name", self.name)
        if re.fullmatch(r"[\w.+-]+/[\w.+-]+", self.kind) is None:
            raise ValueError(f"kind must be a media type, as in text/csv, not {self.kind!r}")


@dataclass(frozen=True, slots=True)
class Message:
    """A mail to one person: always as plain text, and as HTML too if it has some."""

    to: str
    subject: str
    text: str = field(repr=False)
    """Not shown in logs: it may hold a link that works once."""
    html: str = field(default="", repr=False)
    id: str = ""
    """Made of the mail's cause: a retry is the same mail, with the same Message-ID. Without one, each is another."""
    unsubscribe: str = field(default="", repr=False)
    """The address that ends mail of this kind: a page for people, and by POST for mail programs (RFC 8058)."""
    attachments: tuple[Attachment, ...] = ()
    leaves_no_trace: bool = False
    """Whether the address is in no table and no log once the mail has gone out: its owner is erased. The words must
    not name them either."""

    @property
    def kept_address(self) -> str:
        """The address for tables and logs that outlast the mail."""
        return UNKEPT_ADDRESS if self.leaves_no_trace else self.to

    def __post_init__(self) -> None:
        _check_line("to", self.to)
        _check_line("subject", self.subject)
        if self.id and _ID.fullmatch(self.id) is None:
            raise ValueError(f"id must be 1 to 200 letters, digits, dots and hyphens, not {self.id!r}")
        if self.unsubscribe and re.fullmatch(r"https?://[!-;=?-~]+", self.unsubscribe) is None:
            raise ValueError("unsubscribe must be a whole address, without spaces and angle brackets")


class NotDelivered(Unavailable):
    """Nobody took the mail; trying again later may help."""

    code = "mail_not_sent"


class Undeliverable(NotDelivered):
    """The server refuses this mail for good: an address that does not exist, for example."""


class MaybeDelivered(NotDelivered):
    """The connection ended before the server said whether it took the mail."""


class Mail(Protocol):
    """Delivers mail."""

    async def send(self, message: Message) -> None:
        """Hand a mail over; `NotDelivered` if nobody takes it."""


def mail_for(settings: Settings, store: AsyncStore, clock: Clock, ids: Ids) -> Outbox | Smtp:
    """The delivery that the settings name."""
    if settings.mail == "smtp":
        return Smtp(settings, clock)
    return Outbox(store, clock, ids, sender=settings.mail_from)


class Outbox:
    """Keeps mail for thirty days."""

    def __init__(self, store: AsyncStore, clock: Clock, ids: Ids, *, sender: str) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._sender = sender

    async def send(self, message: Message) -> None:
        """Keep a mail; one with the id of a kept one is the same, and is kept once."""
        now = self._clock.now()
        small = sum(len(each.content) for each in message.attachments) <= _KEPT_FILES_BYTES
        kept = KeptMail(
            mail_id=message.id or self._ids.new(),
            sender=self._sender,
            to=message.kept_address,
            subject=message.subject,
            text=message.text,
            html=message.html,
            message_id=_message_id(message, self._sender) if message.id else "",
            unsubscribe=message.unsubscribe,
            files=tuple(
                KeptFile(
                    name=each.name, kind=each.kind, size=len(each.content), content=each.content if small else None
                )
                for each in message.attachments
            ),
            sent_at=timestamp(now),
            expires_at=int((now + timedelta(days=_KEPT_DAYS)).timestamp()),
        )
        with suppress(_KeptAlready):
            await self._store.write(Put(kept).if_new().otherwise(_KeptAlready()))

    async def page(self, *, limit: int = 20, cursor: str | None = None) -> Page[KeptMail]:
        """Kept mail, newest first."""
        return await self._store.page(newest_mail(), limit=limit, after=cursor)

    async def mail(self, mail_id: str) -> KeptMail:
        """One kept mail."""
        found = await self._store.get(kept_mail(mail_id))
        if found is None:
            raise NotFound(f"There is no mail {mail_id}. Mail is kept for {_KEPT_DAYS} days.")
        return found


class Smtp:
    """Sends mail over SMTP, one connection for each, in threads."""

    def __init__(self, settings: Settings, clock: Clock, *, tls: ssl.SSLContext | None = None) -> None:
        self._settings = settings
        self._clock = clock
        self._tls = tls or ssl.create_default_context()
        # A pool of its own: a server that hangs must not block the threads that others need.
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="smtp")

    async def send(self, message: Message) -> None:
        """Hand a mail to the server, or say what is known: refused for now or for good, or no answer."""
        mail = self._mail(message)
        try:
            await asyncio.get_running_loop().run_in_executor(self._threads, self._deliver, mail)
        except (smtplib.SMTPException, OSError) as error:
            # A server's refusal repeats the address, which is in no log.
            which = message.id or f"to {sha256(message.to.encode()).hexdigest()[:12]}"
            _log.warning("mail %s was not sent: %s", which, _ADDRESS.sub("(an address)", _reason(error)))
            problem = _problem(error)
            raise problem("The mail could not be sent. Try again later.") from error

    def _mail(self, message: Message) -> EmailMessage:
        sender = self._settings.mail_from
        mail = EmailMessage(_POLICY)
        mail["From"] = sender
        mail["To"] = message.to
        mail["Subject"] = message.subject
        mail["Date"] = format_datetime(self._clock.now())
        mail["Message-ID"] = _message_id(message, sender)
        mail["Auto-Submitted"] = "auto-generated"
        if message.unsubscribe:
            mail["List-Unsubscribe"] = f"<{message.unsubscribe}>"
            if message.unsubscribe.startswith("https://"):  # RFC 8058 asks for it
                mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        mail.set_content(message.text)
        if message.html:
            mail.add_alternative(message.html, subtype="html")
        for each in message.attachments:
            kind, _, subkind = each.kind.partition("/")
            mail.add_attachment(each.content, maintype=kind, subtype=subkind, filename=each.name)
        return mail

    def _deliver(self, mail: EmailMessage) -> None:
        server = self._connection()
        try:
            if self._settings.smtp_security == "starttls":
                server.starttls(context=self._tls)
            if self._settings.smtp_username and self._settings.smtp_password:
                server.login(self._settings.smtp_username, self._settings.smtp_password.get_secret_value())
            try:
                server.send_message(mail)
            except (smtplib.SMTPServerDisconnected, OSError) as error:
                if isinstance(error, smtplib.SMTPException) and not isinstance(error, smtplib.SMTPServerDisconnected):
                    raise  # smtplib's refusals are OSErrors too
                raise _NoAnswer(f"the connection ended while the mail was sent: {error}") from error
            # The server has the mail. That it does not say goodbye changes nothing.
            with suppress(smtplib.SMTPException, OSError):
                server.quit()
        finally:
            server.close()

    def _connection(self) -> smtplib.SMTP:
        host, port = self._settings.smtp_host or "", self._settings.smtp_port
        us = _greeting(urlsplit(self._settings.base_url).hostname or "localhost")
        if self._settings.smtp_security == "tls":
            return smtplib.SMTP_SSL(host, port, us, timeout=_TIMEOUT_SECONDS, context=self._tls)
        return smtplib.SMTP(host, port, us, timeout=_TIMEOUT_SECONDS)


class _KeptAlready(Exception):
    """A mail with this id is kept."""


class _NoAnswer(smtplib.SMTPException):
    """Nobody knows whether the server took the mail."""


def _check_line(name: str, line: str) -> None:
    if not line.strip() or "\n" in line or "\r" in line:
        raise ValueError(f"{name} must be one line that says something, not {line!r}")


def _message_id(message: Message, sender: str) -> str:
    domain = sender.rpartition("@")[2].rstrip(">")
    return f"<{message.id}@{domain}>" if message.id else make_msgid(domain=domain)


def _problem(error: Exception) -> type[NotDelivered]:
    """What an error says of the mail."""
    if isinstance(error, _NoAnswer):
        return MaybeDelivered
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = [code for code, _ in error.recipients.values()]
    elif isinstance(error, smtplib.SMTPDataError | smtplib.SMTPSenderRefused):
        codes = [error.smtp_code]
    else:
        codes = []  # no connection, no TLS, no sign-in: that is about the server, not about this mail
    return Undeliverable if codes and all(500 <= code < 600 for code in codes) else NotDelivered


def _greeting(host: str) -> str:
    """The name for EHLO: our host, or an address in brackets."""
    try:
        return f"[{'IPv6:' if ipaddress.ip_address(host).version == 6 else ''}{host}]"
    except ValueError:
        return host


def _reason(error: Exception) -> str:
    """The server's error; not its text on a failed sign-in, which may repeat the password."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return f"the server refused the username and password ({error.smtp_code})"
    if isinstance(error, smtplib.SMTPResponseException):
        text = error.smtp_error.decode(errors="replace") if isinstance(error.smtp_error, bytes) else error.smtp_error
        return f"{error.smtp_code} {text[:200]}"
    return f"{type(error).__name__}: {error}"
