"""Mail is sent by SMTP or kept in the outbox; it is never lost without a word."""

from __future__ import annotations

import email
import logging
from dataclasses import replace
from email.policy import default
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from partita.kit.clock import RandomIds
from partita.kit.mail import Attachment, MaybeDelivered, Message, Outbox, Smtp, Undeliverable, mail_for
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


RICH = Message(
    "ada@example.org",
    "News",
    "As text",
    "<p>As <b>HTML</b></p>",
    "news-1",
    f"https://partita.example.org/notifications/unsubscribe?token={'abc-_' * 40}",
    (Attachment("Größen.csv", "text/csv", b"a,b\n1,2\n"),),
)


async def test_a_mail_has_html_files_and_a_way_to_end_it_and_a_retry_is_the_same_message(clock: HandClock) -> None:
    async with smtp_server(SmtpServer()) as server:
        smtp = Smtp(_settings(server), clock)
        await smtp.send(RICH)
        await smtp.send(RICH)
    reads = [email.message_from_string(taken, policy=default) for taken in server.mails]
    assert [read["Message-ID"] for read in reads] == ["<news-1@example.org>"] * 2
    read = reads[0]
    assert f"List-Unsubscribe: <{RICH.unsubscribe}>\n" in server.mails[0]
    assert read["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert read["Auto-Submitted"] == "auto-generated"
    plain, html = (read.get_body([form]) for form in ("plain", "html"))
    assert plain is not None
    assert html is not None
    assert (plain.get_content().strip(), html.get_content().strip()) == (RICH.text, RICH.html)
    (file,) = read.iter_attachments()
    assert (file.get_filename(), file.get_content_type()) == ("Größen.csv", "text/csv")
    assert file.get_payload(decode=True) == b"a,b\n1,2\n"


async def test_one_click_is_offered_over_https_alone(clock: HandClock) -> None:
    message = Message("ada@example.org", "News", "…", unsubscribe="http://127.0.0.1:8080/u?token=x")
    async with smtp_server(SmtpServer()) as server:
        await Smtp(_settings(server), clock).send(message)
    read = email.message_from_string(server.mails[0], policy=default)
    assert read["List-Unsubscribe"] == "<http://127.0.0.1:8080/u?token=x>"
    assert read["List-Unsubscribe-Post"] is None


async def test_the_outbox_keeps_one_of_each_id_with_its_files(outbox: Outbox) -> None:
    for _ in range(2):
        await outbox.send(RICH)
    (kept,) = await outbox.page()
    assert (kept.mail_id, kept.html, kept.message_id) == ("news-1", RICH.html, "<news-1@example.org>")
    assert [(file.name, file.size, file.content) for file in kept.files] == [("Größen.csv", 8, b"a,b\n1,2\n")]
    large = Attachment("large.bin", "application/octet-stream", b"x" * 300_000)
    await outbox.send(Message("ada@example.org", "Large", "…", id="large", attachments=(large,)))
    (file,) = (await outbox.mail("large")).files
    assert (file.size, file.content) == (300_000, None)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"id": "a b"}, "id must"),
        ({"id": "a>\r\nBcc: x"}, "id must"),
        ({"unsubscribe": "https://x.example/>\nBcc: x"}, "unsubscribe must"),
        ({"unsubscribe": "mailto:x"}, "unsubscribe must"),
    ],
)
def test_what_would_be_another_header_is_refused(given: dict[str, str], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        Message("ada@example.org", "x", "y", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "kind"), [("a\nb", "text/csv"), ("a", "csv"), ("a", "text/csv\r\nX: y")])
def test_a_file_has_a_name_and_a_kind(name: str, kind: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        Attachment(name, kind, b"")


async def test_a_refusal_for_good_and_no_answer_are_told_apart(
    clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with smtp_server(SmtpServer(refuse="ada@")) as server:
        with pytest.raises(Undeliverable):
            await Smtp(_settings(server), clock).send(MESSAGE)
        assert "was not sent" in caplog.text
        assert MESSAGE.to not in caplog.text
        caplog.clear()
        with pytest.raises(Undeliverable):
            await Smtp(_settings(server), clock).send(replace(MESSAGE, leaves_no_trace=True))
        assert "was not sent" in caplog.text
        assert MESSAGE.to not in caplog.text
    async with smtp_server(SmtpServer(hang_up="data")) as server:
        with pytest.raises(MaybeDelivered):
            await Smtp(_settings(server), clock).send(MESSAGE)
    async with smtp_server(SmtpServer(hang_up="quit")) as server:
        await Smtp(_settings(server), clock).send(MESSAGE)  # the server has the mail
    assert len(server.mails) == 1
