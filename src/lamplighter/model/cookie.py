"""A cookie that a site set, kept for one source."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookie:
    """Something to send back to those who set it."""

    name: str = field(repr=False)
    value: str = field(repr=False)
    #: hostname that it belongs to
    domain: str
    #: port that it belongs to; None means the scheme's own
    port: int | None = None
    #: True goes to this very hostname, False also to those below it
    is_host_only: bool = True
    path: str = "/"
    #: goes over https only: the site said so, or set it there
    is_secure: bool = False
    expires_at: datetime

    @property
    def identity(self) -> tuple[str, int | None, str, str]:
        """What a later cookie must share to take this one's place."""
        return self.domain, self.port, self.path, self.name
