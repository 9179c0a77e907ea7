"""The addresses of a name, as our own name server knows them."""

import socket
from collections.abc import Sequence
from typing import Any, Protocol

import aiodns


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
