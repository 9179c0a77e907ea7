"""May this address be connected to?

A crawler follows links that strangers wrote, so it must not become their way into the network in which it runs. Only
globally reachable unicast is open. The ranges are named here because `ipaddress.is_global` of Python 3.11 accepts
NAT64, 6to4 and multicast addresses.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Self

import ada_url

from lamplighter.errors import BadSetting

_REFUSED_V4 = [
    (IPv4Network(network), reason)
    for network, reason in (
        ("0.0.0.0/8", "unspecified or this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
]

#: last labels of names that only exist inside networks
_INSIDE = frozenset({"local", "localhost", "localdomain", "internal", "intranet", "lan", "home", "corp", "private"})

#: The narrower range comes first: the first range that matches gives the reason.
_REFUSED_V6 = [
    (IPv6Network(network), reason)
    for network, reason in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::/96", "IPv4-compatible"),
        ("::ffff:0:0/96", "IPv4-mapped"),
        ("::ffff:0:0:0/96", "IPv4-translated"),
        ("64:ff9b::/96", "NAT64"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("100::/64", "discard only"),
        ("2001::/32", "Teredo"),
        ("2001:2::/48", "benchmarking"),
        ("2001::/23", "protocol assignments"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", "unique local"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
]
_GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")
#: interface identifiers that carry an IPv4 address to an ISATAP router
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})

_NAME_AND_PORT = re.compile(r"([^\s/\\?#@:\[\]]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?")


def refused_address(ip: str) -> str | None:
    """Why this address must not be connected to, or None when it may be."""
    try:
        address = ip_address(ip)
    except ValueError:
        return f"{ip} is not an IP address"
    reason = _reason_v4(address) if isinstance(address, IPv4Address) else _reason_v6(address)
    return f"{ip} is not a public address ({reason})" if reason else None


def is_literal(hostname: str) -> bool:
    """Is the host an IP address rather than a name?"""
    try:
        ip_address(hostname)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One entry of the allow list: a host name, or a network of one or many addresses."""

    target: str | IPv4Network | IPv6Network
    #: None means any port
    port: int | None

    def permits(self, hostname: str, address: IPv4Address | IPv6Address | None, port: int) -> bool:
        if self.port not in (None, port):
            return False
        if isinstance(self.target, str):
            return self.target == hostname
        return address is not None and address in self.target


def is_public_name(hostname: str) -> bool:
    """Whether a host is named as those of the public web are: by no address, and by no name for use inside networks."""
    labels = hostname.rstrip(".").split(".")
    return (
        len(labels) > 1 and not is_literal(hostname) and labels[-1] not in _INSIDE and labels[-2:] != ["home", "arpa"]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowList:
    """Hosts and networks that the operator allows although they are not public; empty by default."""

    entries: tuple[_Entry, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads comma-separated `host`, `host:port`, addresses and networks (CIDR)."""
        return cls(entries=tuple(_entry(part.strip()) for part in text.split(",") if part.strip()))

    def permits(self, hostname: str, ip: str, port: int) -> bool:
        """Does the list allow this host name, or the address it resolved to, on this port?"""
        address = ip_address(ip) if is_literal(ip) else None
        return any(entry.permits(hostname, address, port) for entry in self.entries)


def _reason_v4(address: IPv4Address) -> str | None:
    return next((reason for network, reason in _REFUSED_V4 if address in network), None)


def _reason_v6(address: IPv6Address) -> str | None:
    if address.scope_id is not None:
        return "bound to one interface"
    for network, reason in _REFUSED_V6:
        if address in network:
            return reason
    if address not in _GLOBAL_UNICAST_V6:
        return "reserved"
    return "ISATAP" if int(address) >> 32 & 0xFFFF_FFFF in _ISATAP else None


def _entry(text: str) -> _Entry:
    try:
        if "/" in text or is_literal(text):
            return _Entry(target=ip_network(text), port=None)
        return _named_entry(text)
    except ValueError as error:
        raise BadSetting(
            f"Cannot allow {text!r}: {error}; write a host, host:port, an address or a network, "
            "such as localhost:8080, [::1]:8080 or 127.0.0.0/8."
        ) from None


def _named_entry(text: str) -> _Entry:
    cut = _NAME_AND_PORT.fullmatch(text)
    if cut is None:
        raise ValueError("it is neither a host nor a network")
    port = int(cut[2]) if cut[2] else None
    if port is not None and not 1 <= port <= 65535:
        raise ValueError("a port is a number from 1 to 65535")
    # Through the parser that reads URLs, so that a name is allowed in the spelling in which it will be requested.
    host = ada_url.parse_url(f"http://{cut[1]}/", ("hostname",))["hostname"].strip("[]").rstrip(".")
    return _Entry(target=ip_network(host) if is_literal(host) else host, port=port)
