"""Finds the client's address; only trusted proxies may set it by X-Forwarded-For."""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers

from lamplighter.errors import BadSetting
from lamplighter.web.security_headers import Scope

Networks = Sequence[IPv4Network | IPv6Network]


def parse_proxies(text: str) -> Networks:
    """The networks in LAMPLIGHTER_TRUSTED_PROXIES."""
    try:
        return [ip_network(part.strip()) for part in text.split(",") if part.strip()]
    except ValueError:
        raise BadSetting(
            f"LAMPLIGHTER_TRUSTED_PROXIES={text!r} is no list of addresses; write the like of 10.0.0.5,172.16.0.0/12"
        ) from None


def is_trusted(scope: Scope, proxies: Networks) -> bool:
    """Whether the next hop is one of our proxies."""
    return _is_in(_next_hop(scope), proxies)


def client_address(scope: Scope, headers: Headers, proxies: Networks) -> str:
    """The nearest address that is not a trusted proxy."""
    address = _next_hop(scope)
    claims = ",".join(headers.getlist("x-forwarded-for")).split(",")
    while claims and _is_in(address, proxies):
        claimed = claims.pop().strip()
        if not _is_address(claimed):
            break
        address = claimed
    return address


def counted_as(address: str) -> str:
    """The rate limit key of an address: for IPv6, its /64 network."""
    if ":" not in address or not _is_address(address):
        return address
    return str(IPv6Network((int(IPv6Address(address.partition("%")[0])) >> 64 << 64, 64)))


def _next_hop(scope: Scope) -> str:
    return str((scope.get("client") or ("unknown", 0))[0])


def _is_in(address: str, networks: Networks) -> bool:
    return _is_address(address) and any(ip_address(address) in network for network in networks)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
