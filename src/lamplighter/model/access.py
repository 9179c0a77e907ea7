"""Callers, users, tokens and roles."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from lamplighter.model.fields import UNSET, PartialChange, Unset


class Role(StrEnum):
    """What a caller may do; each role includes those before it."""

    #: read everything but secrets
    VIEWER = "viewer"
    #: change what is crawled, when and how
    OPERATOR = "operator"
    #: manage access, and remove data for good
    ADMIN = "admin"

    def covers(self, needed: "Role") -> bool:
        """Whether this role includes the needed one."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(needed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An authenticated caller."""

    #: as shown in the audit log: "user:anna", "token:ci", "jwt:service", "local"
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Stamp:
    """Who changes something, and when."""

    #: as the audit log names them
    actor: str
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person who can log in."""

    name: str
    role: Role
    #: the user cannot log in while false
    enabled: bool
    #: sessions with another number are invalid
    session_epoch: int
    created_at: datetime
    last_login_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserUpdate(PartialChange):
    """A change of a user."""

    role: Role | Unset = UNSET
    enabled: bool | Unset = UNSET
    password_hash: str | Unset = field(default=UNSET, repr=False)
    last_login_at: datetime | Unset = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """An API token of a program; the token itself is known to its holder only."""

    public_id: str
    name: str
    #: its first characters, by which people recognise it
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
        """Whether it is valid now."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)
