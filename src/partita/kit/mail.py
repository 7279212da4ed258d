"""Mail: sent by SMTP, or kept in the table for administrators to read."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import smtplib
import ssl
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from typing import Protocol
from urllib.parse import urlsplit

from partita.kit.clock import Clock, Ids
from partita.kit.problems import NotFound, Unavailable
from partita.kit.schema import KeptMail, kept_mail, newest_mail
from partita.kit.settings import Settings
from partita.store.store import AsyncStore
from partita.table import Page, Put
from partita.table.types import timestamp

_KEPT_DAYS = 30
_TIMEOUT_SECONDS = 20.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Message:
    """A mail of plain text to one person."""

    to: str
    subject: str
    text: str = field(repr=False)
    """Not in logs: it may hold a link that signs somebody in."""

    def __post_init__(self) -> None:
        for name, line in (("to", self.to), ("subject", self.subject)):
            if not line.strip() or "\n" in line or "\r" in line:
                raise ValueError(f"{name} must be one line and not blank, not {line!r}")


class Mail(Protocol):
    """Delivers mail."""

    async def send(self, message: Message) -> None:
        """Send a mail; `Unavailable` if the server does not accept it."""


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
        now = self._clock.now()
        kept = KeptMail(
            mail_id=self._ids.new(),
            sender=self._sender,
            to=message.to,
            subject=message.subject,
            text=message.text,
            sent_at=timestamp(now),
            expires_at=int((now + timedelta(days=_KEPT_DAYS)).timestamp()),
        )
        await self._store.write(Put(kept).if_new())

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
        mail = self._mail(message)
        try:
            await asyncio.get_running_loop().run_in_executor(self._threads, self._deliver, mail)
        except (smtplib.SMTPException, OSError) as error:
            _log.warning("mail to %s was not sent: %s", message.to, _reason(error))
            raise Unavailable("The mail could not be sent. Try again later.", code="mail_not_sent") from error

    def _mail(self, message: Message) -> EmailMessage:
        sender = self._settings.mail_from
        mail = EmailMessage()
        mail["From"] = sender
        mail["To"] = message.to
        mail["Subject"] = message.subject
        mail["Date"] = format_datetime(self._clock.now())
        mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2].rstrip(">"))
        mail.set_content(message.text)
        return mail

    def _deliver(self, mail: EmailMessage) -> None:
        with self._connection() as server:
            if self._settings.smtp_security == "starttls":
                server.starttls(context=self._tls)
            if self._settings.smtp_username and self._settings.smtp_password:
                server.login(self._settings.smtp_username, self._settings.smtp_password.get_secret_value())
            server.send_message(mail)

    def _connection(self) -> smtplib.SMTP:
        host, port = self._settings.smtp_host or "", self._settings.smtp_port
        us = _greeting(urlsplit(self._settings.base_url).hostname or "localhost")
        if self._settings.smtp_security == "tls":
            return smtplib.SMTP_SSL(host, port, us, timeout=_TIMEOUT_SECONDS, context=self._tls)
        return smtplib.SMTP(host, port, us, timeout=_TIMEOUT_SECONDS)


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
