"""The address guard: keeps the crawler out of networks that are not the public web (SSRF).

Every final address is checked when its socket is made, after all names were resolved and whatever the URL looked like:
there is no second look-up between check and connection for which a hostile name server could send another address.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from lamplighter.rules.urls.addresses import AllowList, refused_address

_requested_hostname: ContextVar[str] = ContextVar("requested_hostname", default="")
#: whether the operator named this very host in the settings as a proxy
_is_trusted: ContextVar[bool] = ContextVar("is_trusted", default=False)


class AddressRefused(OSError):
    """The crawler may not connect to this address."""


class AddressGuard:
    """Checks addresses, with the exceptions that the operator allowed."""

    def __init__(self, allowed: AllowList) -> None:
        self._allowed = allowed
        self.is_opened = lru_cache(maxsize=4096)(self._is_opened)

    def _is_opened(self, hostname: str, port: int) -> bool:
        """Whether the operator allowed this very host."""
        return self._allowed.permits(hostname, hostname, port)

    @contextmanager
    def requesting(self, hostname: str, *, is_trusted: bool = False) -> Iterator[None]:
        """In this context, sockets are made on behalf of `hostname`; a trusted one may have any address."""
        name, trust = _requested_hostname.set(hostname), _is_trusted.set(is_trusted)
        try:
            yield
        finally:
            _is_trusted.reset(trust)
            _requested_hostname.reset(name)

    def make_socket(self, address: tuple[Any, Any, int, str, tuple[Any, ...]]) -> socket.socket:
        """The socket for a resolved address, or a refusal."""
        family, kind, protocol, _, target = address
        self.check(str(target[0]), int(target[1]))
        return socket.socket(family=family, type=kind, proto=protocol)

    def check(self, ip: str, port: int) -> None:
        """Raises AddressRefused for an address that may not be connected to."""
        if _is_trusted.get():
            return
        reason = refused_address(ip)
        if reason is not None and not self._allowed.permits(_requested_hostname.get(), ip, port):
            host = f"[{ip}]" if ":" in ip else ip
            raise AddressRefused(f"{reason}; LAMPLIGHTER_ALLOW_HOSTS={host}:{port} would allow it")


def refusal_in(error: BaseException) -> AddressRefused | None:
    """The refusal inside an error that a library wrapped around it, if there is one."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        item = waiting.pop()
        if isinstance(item, AddressRefused):
            return item
        if not isinstance(item, BaseException) or id(item) in seen:
            continue
        seen.add(id(item))
        waiting += [item.__cause__, item.__context__, getattr(item, "os_error", None)]
        waiting += list(getattr(item, "exceptions", ()))
    return None
