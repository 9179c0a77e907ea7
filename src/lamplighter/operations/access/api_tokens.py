"""API tokens: create, revoke, look up. A token is shown once, when it is created; only its hash is stored."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID, uuid4

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.access import ApiToken, Role, Stamp
from lamplighter.store.access import api_tokens, audit_log
from lamplighter.store.engine.database import Connection

#: the prefix by which a token is recognised among other credentials, and found where it should not be
MARK = "lamp_"
_RANDOM_BYTES = 32
_PREFIX_LENGTH = 12
#: how exactly is known when a token was last used
_USE_NOTED = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token that was just made."""

    text: str = field(repr=False)
    token: ApiToken


def make(name: str, *, role: Role, stamp: Stamp, lasts: timedelta | None = None) -> NewToken:
    """A new token, not yet stored; `lasts` None means for ever."""
    plain = name.strip()
    if not 1 <= len(plain) <= 100 or not plain.isprintable():
        raise BadInput("a token needs a name of up to 100 characters on one line", field="name", code="invalid_name")
    text = MARK + secrets.token_urlsafe(_RANDOM_BYTES)
    token = ApiToken(
        public_id=str(uuid4()),
        name=plain,
        prefix=text[:_PREFIX_LENGTH],
        role=role,
        created_by=stamp.actor,
        created_at=stamp.now,
        expires_at=stamp.now + lasts if lasts is not None else None,
        last_used_at=None,
        revoked_at=None,
    )
    return NewToken(text=text, token=token)


async def add(db: Connection, new: NewToken) -> None:
    """Stores the token; it is valid from now on."""
    token = new.token
    await api_tokens.add(db, token, token_hash=_hash(new.text))
    expires = token.expires_at.isoformat() if token.expires_at else None
    stamp, after = Stamp(token.created_by, token.created_at), _audited(token) | {"expires_at": expires}
    await audit_log.write(db, stamp, "token.create", f"token:{token.name}", after=after)


async def revoke(db: Connection, token_id: UUID, *, stamp: Stamp) -> ApiToken:
    """Revokes a token; revoking it again is no error."""
    token = await api_tokens.get(db, str(token_id))
    if token is None:
        raise NotFound(f"there is no token {token_id}; the list shows their ids", code="token_not_found")
    if token.revoked_at is None:
        await api_tokens.revoke(db, token.public_id, now=stamp.now)
        await audit_log.write(db, stamp, "token.revoke", f"token:{token.name}", before=_audited(token))
    return token


async def holder_of(db: Connection, text: str) -> ApiToken | None:
    """The stored token with this text; None if there is none."""
    return await api_tokens.by_hash(db, _hash(text))


def is_use_to_note(token: ApiToken, *, now: datetime) -> bool:
    """Whether the noted last use is so long ago that this one should be noted."""
    return token.last_used_at is None or token.last_used_at <= now - _USE_NOTED


async def note_use(db: Connection, token: ApiToken, *, now: datetime) -> None:
    """Notes that the token was used now, unless another process did so meanwhile."""
    await api_tokens.used(db, token.public_id, now=now, unless_since=now - _USE_NOTED)


def _audited(token: ApiToken) -> dict[str, str | None]:
    return {"id": token.public_id, "prefix": token.prefix, "role": token.role}


def _hash(text: str) -> str:
    # A token is long and random: what makes guessing passwords slow would add nothing.
    return sha256(text.encode("utf-8", "replace")).hexdigest()
