"""Who asks, and how much they may do."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    """What a caller may do; each may do what those before it may."""

    #: look at everything but secrets
    VIEWER = "viewer"
    #: change what is crawled, when and how
    OPERATOR = "operator"
    #: say who may do what, and remove for good
    ADMIN = "admin"

    def covers(self, needed: "Role") -> bool:
        """Whether this role may do what the other is needed for."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(needed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Somebody who asked, and proved who they are."""

    #: as it stands in the audit log: "user:anna", "token:ci", "jwt:service", "local"
    name: str
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person who can log in."""

    name: str
    role: Role
    #: nobody logs in under the name while false
    enabled: bool
    #: sessions opened under another number are over
    session_epoch: int
    created_at: datetime
    last_login_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """What a program proves itself with; the token itself is known to its holder only."""

    public_id: str
    name: str
    #: its first characters, by which a person knows it again
    prefix: str
    role: Role
    created_by: str
    created_at: datetime
    #: None means never
    expires_at: datetime | None
    #: to the minute
    last_used_at: datetime | None
    revoked_at: datetime | None

    def is_good(self, now: datetime) -> bool:
        """Whether it proves anything."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)
