"""The address guard: keeps the crawler out of networks that are not the public web (SSRF).

Every final address is checked when its socket is made, after all names were resolved and whatever the URL looked like:
there is no second look-up between check and connection for which a hostile name server could send another address.
"""

from functools import lru_cache

from lamplighter.rules.urls.addresses import AllowList, refused_address


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

    def check(self, ip: str, port: int, *, hostname: str) -> None:
        """Raises AddressRefused for an address that may not be connected to on behalf of `hostname`."""
        reason = refused_address(ip)
        if reason is not None and not self._allowed.permits(hostname, ip, port):
            host = f"[{ip}]" if ":" in ip else ip
            raise AddressRefused(f"{reason}; LAMPLIGHTER_ALLOW_HOSTS={host}:{port} would allow it")
