"""Which addresses are the public web."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.fetcher import Fetcher, FetchRefused
from partita.kit.fetcher.addresses import is_public
from tests.kit.fetcher.sites import Names

NOT_PUBLIC = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.0.1",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2002:808:808::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fe80::1",
    "fe80::a9fe:a9fe",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "100.63.255.255",
    "100.128.0.0",
    "128.0.0.1",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2606:4700:4700::1111",
    "2a00:1450:4001:81b::200e",
    "64:ff9b::8.8.8.8",
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_this_machine_its_network_and_its_cloud_are_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_the_rest_is_public(address: str) -> None:
    assert is_public(ip_address(address))


def test_an_address_of_one_link_is_not_public_whatever_it_is() -> None:
    assert not is_public(ip_address("2606:4700:4700::1111%eth0"))


@given(st.ip_addresses(v=4))
def test_what_python_calls_private_is_never_public_here(address: IPv4Address) -> None:
    assert not (is_public(address) and (not address.is_global or address.is_multicast))


@given(st.ip_addresses(v=6))
def test_what_python_calls_private_is_never_public_here_in_ipv6_either(address: IPv6Address) -> None:
    assert not (is_public(address) and (not address.is_global or address.is_multicast or address.sixtofour))


@given(st.ip_addresses(v=4))
def test_no_spelling_in_ipv6_makes_an_address_public_that_is_not(address: IPv4Address) -> None:
    number = int(address)
    assert is_public(IPv6Address((0x64FF9B << 96) | number)) == is_public(address)
    for spelled in (number, 0xFFFF << 32 | number, 0xFFFF << 48 | number, 0x2002 << 112 | number << 80):
        assert not is_public(IPv6Address(spelled))


@pytest.mark.anyio
@pytest.mark.parametrize("address", NOT_PUBLIC)
async def test_nobody_goes_there_by_address_or_by_name(address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    by_name = [[address], ["1.1.1.1", address], [address, "2606:4700:4700::1111"]]
    for url, names in ((f"http://{host}/", [["1.1.1.1"]]), *(("https://name.example/", [each]) for each in by_name)):
        fetcher = Fetcher(contact="https://partita.example", resolve=Names(*names))
        with pytest.raises(FetchRefused, match="There is no public site at"):
            await fetcher.fetch(url)
        fetcher.close()
