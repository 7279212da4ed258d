"""Over TLS the other side must prove that it is who it says."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from partita.store.answers import ConnectionFailedError
from tests.store.faces import FACES, connected
from tests.store.listener import Listener, listening, said
from tests.table.forum import Member

pytestmark = pytest.mark.parametrize("face", FACES)

ANN = Member(member_id="ann", name="Ann")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 that signs itself, with its key in the same file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Partita's tests")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "certificate.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM) + secret)
    return file


@pytest.fixture
def listener(certificate: Path) -> Iterator[Listener]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with listening(lambda _asked: said({"Item": ANN.to_row()}), context) as found:
        yield found


def test_a_trusted_certificate_is_accepted_and_the_connection_kept(
    face: str, listener: Listener, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with connected(face, listener.url) as store:
        assert [store.get() for _ in range(3)] == [ANN] * 3
    assert [asked.connection for asked in listener.asked] == [1, 1, 1]


def test_a_certificate_nobody_vouches_for_is_refused_before_anything_is_sent(face: str, listener: Listener) -> None:
    with (
        connected(face, listener.url) as store,
        pytest.raises(ConnectionFailedError, match="certificate verify failed"),
    ):
        store.get()
    assert listener.asked == []


def test_a_certificate_for_another_name_is_refused(
    face: str, listener: Listener, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    url = listener.url.replace("127.0.0.1", "localhost")
    with connected(face, url) as store, pytest.raises(ConnectionFailedError, match="localhost"):
        store.get()
    assert listener.asked == []
