"""An exit to the web: a proxy, as a request needs to know it."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class ProxyMode(StrEnum):
    """How a host is asked, as far as exits are concerned."""

    ONLY = "only"  # through a proxy or not at all
    PREFER = "prefer"  # directly while no proxy is usable
    NEVER = "never"  # always directly


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """One proxy with its credentials, which go nowhere but to the proxy itself."""

    id: int
    #: http, https (reached over TLS) or socks5
    protocol: str
    address: str
    port: int
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    #: named by the settings, so that its address may be one inside this network
    is_trusted: bool = False

    @property
    def url(self) -> str:
        """Where it is, without credentials."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"{self.protocol}://{host}:{self.port}"

    @property
    def authorization(self) -> Mapping[str, str]:
        """The header by which an HTTP proxy knows us; empty without credentials."""
        if self.username is None and self.password is None:
            return {}
        pair = f"{self.username or ''}:{self.password or ''}"
        return {"Proxy-Authorization": f"Basic {b64encode(pair.encode()).decode()}"}
