"""Signing keys: derives one for each use from the operator's secret; each verifies only its own signatures."""

import hmac
import secrets
from dataclasses import dataclass, field
from hashlib import sha256

from lamplighter.errors import BadSetting
from lamplighter.rules.access.secret_strength import weakness
from lamplighter.settings import Settings

_REMEDY = "print a good one with: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """The keys of one installation."""

    #: verifies JWTs that other programs sign; None without a shared secret
    bearer: str | None = field(repr=False)
    session: bytes = field(repr=False)
    form: bytes = field(repr=False)


def keys_of(settings: Settings) -> Keys:
    """The keys; raises BadSetting when a required secret is missing or the secret is weak."""
    secret = settings.jwt_secret
    if secret is None:
        if not settings.is_dev:
            raise BadSetting(f"LAMPLIGHTER_ENV=prod needs LAMPLIGHTER_AUTH_JWT_SECRET; {_REMEDY}")
        # Without a secret, sessions end with the process.
        return _derived(secrets.token_bytes(32), bearer=None)
    weak = weakness(secret)
    if weak is not None:
        raise BadSetting(f"LAMPLIGHTER_AUTH_JWT_SECRET could be guessed: {weak}; {_REMEDY}")
    return _derived(secret.encode(), bearer=secret)


def _derived(root: bytes, *, bearer: str | None) -> Keys:
    def key(use: bytes) -> bytes:
        return hmac.digest(root, b"lamplighter " + use, sha256)

    return Keys(bearer=bearer, session=key(b"session"), form=key(b"form"))
