"""A name server that the test writes, and that may fail like a real one. Addresses are loopback only."""

import asyncio
import socket
from collections.abc import Sequence


class NameServer:
    """What was written down, and no other name."""

    def __init__(self) -> None:
        self._known: dict[str, Sequence[str] | OSError | None] = {}

    def say(self, name: str, *addresses: str) -> None:
        """The addresses of a name, in this order."""
        assert all(address.startswith("127.") or address == "::1" for address in addresses)
        self._known[name] = addresses

    def fail(self, name: str, error: OSError) -> None:
        """Fails whoever asks for a name."""
        self._known[name] = error

    def keep_silent(self, name: str) -> None:
        """Never answers for a name."""
        self._known[name] = None

    async def addresses(self, name: str) -> Sequence[str]:
        """As the client asks."""
        known = self._known.get(name, socket.gaierror(socket.EAI_NONAME, "Name or service not known"))
        if known is None:
            await asyncio.Event().wait()
        if isinstance(known, OSError):
            raise known
        return known or ()
