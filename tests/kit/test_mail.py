"""Mail is sent by SMTP or kept in the outbox; it is never lost without a word."""

from __future__ import annotations

import email
import logging
from email.policy import default
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from partita.kit.clock import RandomIds
from partita.kit.mail import Message, Outbox, Smtp, mail_for
from partita.kit.problems import NotFound, Unavailable
from partita.kit.settings import Settings
from partita.store import EmbeddedStore
from tests.kit.conftest import HandClock
from tests.kit.smtp import SmtpServer, certificate, smtp_server

pytestmark = pytest.mark.anyio
MESSAGE = Message("ada@example.org", "Grüße aus Wien", "Dear Ada,\n\nHier entlang: https://x.example/?a=1\n.\nBye")


@pytest.fixture
def outbox(house: EmbeddedStore, clock: HandClock) -> Outbox:
    return Outbox(house.asynchronous, clock, RandomIds(), sender="partita@example.org")


async def test_the_outbox_keeps_mail_newest_first(outbox: Outbox, clock: HandClock) -> None:
    for number in range(5):
        await outbox.send(Message("ada@example.org", f"Mail {number}", "…"))
        clock.forward(seconds=1)
    first = await outbox.page(limit=3)
    rest = await outbox.page(limit=3, cursor=first.next_cursor)
    assert [mail.subject for mail in (*first, *rest)] == ["Mail 4", "Mail 3", "Mail 2", "Mail 1", "Mail 0"]
    assert rest.next_cursor is None


async def test_a_kept_mail_is_read_by_its_id_and_goes_after_thirty_days(
    outbox: Outbox, clock: HandClock, house: EmbeddedStore
) -> None:
    await outbox.send(MESSAGE)
    (kept,) = await outbox.page()
    found = await outbox.mail(kept.mail_id)
    assert (found.to, found.subject, found.text) == (MESSAGE.to, MESSAGE.subject, MESSAGE.text)
    assert "x.example" not in repr(found) + repr(MESSAGE)
    assert found.expires_at == int(clock.now().timestamp()) + 30 * 86400
    with pytest.raises(NotFound):
        await outbox.mail("none")


@pytest.mark.parametrize(
    ("to", "subject"), [("", "x"), ("a@b.c", " "), ("a@b.c\nBcc: all@b.c", "x"), ("a@b.c", "x\ry")]
)
def test_a_header_is_one_line(to: str, subject: str) -> None:
    with pytest.raises(ValueError, match="must be one line"):
        Message(to, subject, "…")


def _settings(server: SmtpServer, **more: Any) -> Settings:
    given = {"mail": "smtp", "smtp_host": "127.0.0.1", "smtp_port": server.port, "smtp_security": "none"}
    return Settings(**{**given, "mail_from": "Partita <partita@example.org>", **more})


async def test_mail_is_handed_to_the_server_whole(clock: HandClock) -> None:
    async with smtp_server(SmtpServer()) as server:
        await Smtp(_settings(server), clock).send(MESSAGE)
    (taken,) = server.mails
    read = email.message_from_string(taken, policy=default)
    assert (read["To"], read["Subject"], read["From"]) == (MESSAGE.to, MESSAGE.subject, "Partita <partita@example.org>")
    assert parsedate_to_datetime(read["Date"]) == clock.now()
    assert read["Message-ID"].endswith("@example.org>")
    assert read.get_content().strip() == MESSAGE.text
    assert server.commands[:2] == ["ehlo [127.0.0.1]", "mail FROM:<partita@example.org>"]


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_mail_and_password_travel_over_a_connection_that_is_verified(
    clock: HandClock, tmp_path: Path, security: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    context, trusting = certificate(tmp_path)
    told = SmtpServer(tls=context, login=("partita", "correct horse"))
    async with smtp_server(told, implicit_tls=security == "tls") as server:
        signed_in = {"smtp_username": "partita", "smtp_password": SecretStr("correct horse"), "smtp_security": security}
        settings = _settings(server, **signed_in)
        await Smtp(settings, clock, tls=trusting).send(MESSAGE)
        assert server.encrypted == [True]
        with pytest.raises(Unavailable) as refused:
            await Smtp(settings, clock).send(MESSAGE)
        assert refused.value.code == "mail_not_sent"
        wrong = _settings(server, **{**signed_in, "smtp_password": SecretStr("wrong horse")})
        with pytest.raises(Unavailable):
            await Smtp(wrong, clock, tls=trusting).send(MESSAGE)
    assert len(server.mails) == 1
    assert "CERTIFICATE_VERIFY_FAILED" in caplog.text
    assert "the server refused the username and password (535)" in caplog.text
    assert "horse" not in caplog.text


async def test_without_starttls_on_the_other_side_nothing_is_sent(clock: HandClock) -> None:
    async with smtp_server(SmtpServer()) as server:
        with pytest.raises(Unavailable):
            await Smtp(_settings(server, smtp_security="starttls"), clock).send(MESSAGE)
    assert server.mails == []


async def test_mail_that_nobody_takes_is_a_problem_of_its_own(
    clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with smtp_server(SmtpServer(refuse="ada@")) as server:
        with pytest.raises(Unavailable, match="could not be sent"):
            await Smtp(_settings(server), clock).send(MESSAGE)
    assert "nobody of that name" in caplog.text
    with pytest.raises(Unavailable):
        await Smtp(_settings(server), clock).send(MESSAGE)
    assert "Hier entlang" not in caplog.text


async def test_the_settings_say_what_happens_to_mail(house: EmbeddedStore, clock: HandClock) -> None:
    kept = mail_for(Settings(), house.asynchronous, clock, RandomIds())
    assert isinstance(kept, Outbox)
    await kept.send(MESSAGE)
    assert [mail.sender for mail in await kept.page()] == ["partita@localhost"]
    async with smtp_server(SmtpServer()) as server:
        await mail_for(_settings(server), house.asynchronous, clock, RandomIds()).send(MESSAGE)
    assert len(server.mails) == 1
