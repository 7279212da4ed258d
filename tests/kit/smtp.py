"""A small SMTP server for tests: takes mail, speaks STARTTLS and AUTH PLAIN, and refuses what it is told to."""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.listening import listening


@dataclass
class SmtpServer:
    """What it heard."""

    port: int = 0
    mails: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)
    """Of each mail: whether it came over TLS."""
    tls: ssl.SSLContext | None = None
    login: tuple[str, str] | None = None
    refuse: str | None = None
    """A recipient it does not take."""
    hang_up: str = ""
    """`data`: it has read a mail and ends the connection without a word; `quit`: it does not say goodbye."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def say(line: str) -> None:
            writer.write(f"{line}\r\n".encode())

        over_tls, signed_in = writer.get_extra_info("sslcontext") is not None, False
        say("220 test ready")
        while line := (await reader.readline()).decode().rstrip("\r\n"):
            self.commands.append(line)
            verb = line.split(" ")[0].upper()
            if verb == "EHLO":
                offers = [
                    "test",
                    *(["STARTTLS"] if self.tls and not over_tls else []),
                    *(["AUTH PLAIN"] if self.login else []),
                ]
                for position, offer in enumerate(offers):
                    say(f"250{' ' if position == len(offers) - 1 else '-'}{offer}")
            elif verb == "STARTTLS" and self.tls is not None:
                say("220 go ahead")
                await writer.drain()
                try:
                    await writer.start_tls(self.tls)
                except (ssl.SSLError, ConnectionError):
                    break  # the client does not trust us
                over_tls = True
            elif verb == "AUTH":
                _, name, password = base64.b64decode(line.split(" ")[2]).decode().split("\0")
                signed_in = (name, password) == self.login
                say("235 welcome" if signed_in else "535 no")
            elif verb == "MAIL" and self.login and not signed_in:
                say("530 sign in first")
            elif verb == "RCPT" and self.refuse and self.refuse in line:
                say("550 nobody of that name")
            elif verb == "DATA":
                say("354 go on")
                await writer.drain()
                body = (await reader.readuntil(b"\r\n.\r\n")).decode()[:-5]
                self.mails.append(body.replace("\r\n", "\n").replace("\n..", "\n."))
                self.encrypted.append(over_tls)
                if self.hang_up == "data":
                    break
                say("250 taken")
            elif verb == "QUIT":
                if not self.hang_up:
                    say("221 bye")
                break
            else:
                say("250 fine")
            await writer.drain()
        writer.close()


@asynccontextmanager
async def smtp_server(server: SmtpServer, *, implicit_tls: bool = False) -> AsyncIterator[SmtpServer]:
    """The server, listening on loopback."""
    context = server.tls if implicit_tls else None
    async with listening(server.serve, tls=context) as server.port:
        yield server


def certificate(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context with a certificate for loopback, and a client's that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(pem)
    return server, ssl.create_default_context(cafile=str(pem))
