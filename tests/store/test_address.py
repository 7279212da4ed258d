"""An endpoint's URL says where to connect and what to put into the Host header."""

import ssl

import pytest

from partita.store.address import Timeouts, address


@pytest.mark.parametrize(
    ("url", "host", "port", "authority"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1", 8000, "127.0.0.1:8000"),
        ("http://engine/", "engine", 80, "engine"),
        ("https://dynamodb.eu-west-1.amazonaws.com", "dynamodb.eu-west-1.amazonaws.com", 443, None),
        ("https://[::1]:8443/ignored?also", "::1", 8443, "[::1]:8443"),
        ("http://somebody:secret@engine:81", "engine", 81, "engine:81"),
    ],
)
def test_a_url_is_read(url: str, host: str, port: int, authority: str | None) -> None:
    found = address(url, Timeouts())
    assert (found.host, found.port, found.authority) == (host, port, authority or host)
    assert found.url == f"{url.partition(':')[0]}://{found.authority}/"


def test_only_https_is_encrypted_and_then_certificates_and_names_are_checked() -> None:
    assert address("http://engine", Timeouts()).tls is None
    tls = address("https://engine", Timeouts()).tls
    assert tls is not None
    assert (tls.verify_mode, tls.check_hostname) == (ssl.CERT_REQUIRED, True)


@pytest.mark.parametrize("url", ["engine:8000", "ftp://engine", "http://", "127.0.0.1", "http://engine:port"])
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"endpoint|port"):
        address(url, Timeouts())
