"""A cookie that a site set, kept for one source."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookie:
    """A cookie to send back to the site that set it."""

    name: str = field(repr=False)
    value: str = field(repr=False)
    #: the hostname it belongs to
    domain: str
    #: the port it belongs to; None means the scheme's default
    port: int | None = None
    #: True is sent to this very hostname only, False also to its subdomains
    is_host_only: bool = True
    path: str = "/"
    #: sent over https only: the site said so, or set it there
    is_secure: bool = False
    expires_at: datetime

    @property
    def identity(self) -> tuple[str, int | None, str, str]:
        """A later cookie with the same identity replaces this one."""
        return self.domain, self.port, self.path, self.name
