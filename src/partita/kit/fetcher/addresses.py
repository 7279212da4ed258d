"""Which addresses are the public web: everything that could be this machine, its network or its cloud is not."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

# A list of our own: what Python calls global has changed between its releases.
_NOT_PUBLIC = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network; 0.0.0.0 is this machine
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by the customers of a provider; metadata of Alibaba's cloud
            "127.0.0.0/8",  # this machine
            "168.63.129.16/32",  # looks public: what serves the machines of Azure
            "169.254.0.0/16",  # this link; metadata of most clouds
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments; metadata of Oracle's cloud
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # automatic multicast tunnels
            "192.88.99.0/24",  # relays from 6to4
            "192.168.0.0/16",  # private
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
# IPv6 is the other way round: public is only what was given out for it, without what leads to IPv4 by a detour.
_PUBLIC_IPV6 = IPv6Network("2000::/3")
_NOT_PUBLIC_IPV6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments, among them Teredo
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
        ),
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Whether anybody on the web could be reached there, and nobody of ours."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC)
    if address.scope_id is not None:
        return False
    if address in _NAT64:
        # Where a network has IPv6 only, its resolver spells all of IPv4 this way.
        return is_public(IPv4Address(int(address) & 0xFFFF_FFFF))
    return address in _PUBLIC_IPV6 and not any(address in network for network in _NOT_PUBLIC_IPV6)
