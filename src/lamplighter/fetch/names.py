"""The addresses of a name, as our own name server knows them."""

import asyncio
import socket
from collections.abc import Sequence
from typing import Any, Protocol

import aiodns

#: how long addresses are kept: requests that follow each other closely share one look-up
KEPT_SECONDS = 10.0
_MOST_KEPT = 10_000


class Resolver(Protocol):
    """Looks up names."""

    async def addresses(self, name: str) -> Sequence[str]:
        """The addresses of a name, best first; raises OSError when there are none."""


class SystemResolver:
    """Asks the name servers of this machine, without a thread for each question."""

    def __init__(self) -> None:
        self._servers: aiodns.DNSResolver | None = None

    async def addresses(self, name: str) -> Sequence[str]:
        """See Resolver."""
        if self._servers is None:
            self._servers = aiodns.DNSResolver()
        try:
            found: Any = await self._servers.getaddrinfo(
                name, type=socket.SOCK_STREAM, family=socket.AF_UNSPEC, flags=socket.AI_ADDRCONFIG
            )
        except aiodns.error.DNSError as error:
            raise OSError(error.args[1] if len(error.args) > 1 else "DNS lookup failed") from error
        return [node.addr[0].decode("ascii") for node in found.nodes]

    async def close(self) -> None:
        """Gives up its sockets."""
        if self._servers is not None:
            await self._servers.close()


class Names:
    """What a resolver said lately; callers that ask for the same name at once share one question."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: dict[str, tuple[float, Sequence[str]]] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def addresses(self, name: str) -> Sequence[str]:
        """The addresses of a name; raises OSError when there are none."""
        if (known := self._recent(name)) is not None:
            return known
        lock = self._asking.setdefault(name, asyncio.Lock())
        try:
            async with lock:
                if (known := self._recent(name)) is not None:
                    return known
                found = await self._resolver.addresses(name)
                if not found:
                    raise OSError("it has no address")
                if len(self._known) >= _MOST_KEPT:
                    self._known.clear()
                self._known[name] = (asyncio.get_running_loop().time(), found)
                return found
        finally:
            if not lock.locked():
                self._asking.pop(name, None)

    def _recent(self, name: str) -> Sequence[str] | None:
        at, found = self._known.get(name, (float("-inf"), ()))
        return found if asyncio.get_running_loop().time() - at < KEPT_SECONDS else None
