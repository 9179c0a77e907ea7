"""Sessions of logged-in users, and their keys: a signed cookie with the user, its expiry and the session epoch.

Raising a user's epoch ends all of their sessions at once, wherever the cookies are. A single session is ended by its
number, which is kept until its cookie has expired.
"""

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from starlette.responses import Response

from lamplighter.errors import BadSetting
from lamplighter.rules.access.secret_strength import weakness
from lamplighter.settings import Settings

COOKIE = "lamplighter_session"
#: sent with the login form only, so that no site can log a user in as another
LOGIN_COOKIE = "lamplighter_login"
_LOGIN_SECONDS = 3600
#: sent with the login form only: failed logins of others do not shut this browser out
BROWSER_COOKIE = "lamplighter_browser"
_BROWSER_SECONDS = 30 * 24 * 3600
_AUDIENCE = "lamplighter session"
_BROWSER_AUDIENCE = "lamplighter browser"
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
            raise BadSetting(f"{settings.variable_of('env')}=prod needs LAMPLIGHTER_AUTH_JWT_SECRET; {_REMEDY}")
        # Without a secret, sessions end with the process.
        return _derived(secrets.token_bytes(32), bearer=None)
    weak = weakness(secret)
    if weak is not None:
        raise BadSetting(f"{settings.variable_of('auth_jwt_secret')} could be guessed: {weak}; {_REMEDY}")
    return _derived(secret.encode(), bearer=secret)


def _derived(root: bytes, *, bearer: str | None) -> Keys:
    def key(use: bytes) -> bytes:
        return hmac.digest(root, b"lamplighter " + use, sha256)

    return Keys(bearer=bearer, session=key(b"session"), form=key(b"form"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A valid cookie's claims."""

    user: str
    epoch: int
    #: the session's id, to which its forms are bound
    number: str
    ends_at: datetime


class Sessions:
    """Issues and verifies session cookies."""

    def __init__(self, keys: Keys, settings: Settings) -> None:
        self._keys = keys
        self._lasts = timedelta(hours=settings.session_hours)
        self._is_secure = (settings.public_url or "").startswith("https://")

    def issue(self, user: str, *, epoch: int, now: datetime) -> str:
        """The cookie of a new session."""
        claims = {
            "sub": user,
            "epoch": epoch,
            "sid": secrets.token_urlsafe(16),
            "aud": _AUDIENCE,
            "iat": now,
            "exp": now + self._lasts,
        }
        return self._signed(claims)

    def read(self, cookie: str) -> Session | None:
        """The session of a cookie; None when expired or forged."""
        claims = self._claims(cookie, _AUDIENCE, required=("sub", "epoch", "sid"))
        if claims is None:
            return None
        ends_at = datetime.fromtimestamp(claims["exp"], UTC)
        return Session(user=claims["sub"], epoch=claims["epoch"], number=claims["sid"], ends_at=ends_at)

    def browser_of(self, cookie: str, user: str) -> str | None:
        """The number of a browser in which this user logged in before; None if it is not one."""
        claims = self._claims(cookie, _BROWSER_AUDIENCE, required=("sub", "number"))
        return str(claims["number"]) if claims is not None and claims["sub"] == user else None

    def _claims(self, cookie: str, audience: str, *, required: Sequence[str]) -> dict[str, Any] | None:
        """What a cookie of ours says; None when expired or forged."""
        import jwt  # a service in which nobody logs in does without its cryptography

        try:
            claims: dict[str, Any] = jwt.decode(
                cookie,
                self._keys.session,
                algorithms=["HS256"],
                audience=audience,
                leeway=10,
                options={"require": [*required, "exp", "aud"]},
            )
        except (jwt.InvalidTokenError, ValueError):
            return None
        return claims

    def _signed(self, claims: dict[str, Any]) -> str:
        import jwt

        return jwt.encode(claims, self._keys.session, algorithm="HS256")

    def form_token(self, number: str) -> str:
        """The CSRF token of a session or login page.

        It differs each time: pages are compressed, and the size of a compressed page could reveal a token that
        stays the same.
        """
        pad = secrets.token_bytes(sha256().digest_size)
        return (pad + _covered(self._form_mac(number), pad)).hex()

    def is_form_token(self, token: str, number: str) -> bool:
        """Whether the session issued this token."""
        try:
            given = bytes.fromhex(token)
        except ValueError:
            return False
        pad, covered = given[: len(given) // 2], given[len(given) // 2 :]
        return hmac.compare_digest(_covered(covered, pad), self._form_mac(number))

    def _form_mac(self, number: str) -> bytes:
        return hmac.new(self._keys.form, number.encode("utf-8", "replace"), sha256).digest()

    def put(self, response: Response, cookie: str) -> None:
        """Sets the session cookie."""
        seconds = round(self._lasts.total_seconds())
        response.set_cookie(COOKIE, cookie, max_age=seconds, httponly=True, samesite="lax", secure=self._is_secure)

    def put_browser(self, response: Response, user: str, *, now: datetime) -> None:
        """Sets the cookie by which this browser is known when the user logs in again."""
        claims = {
            "sub": user,
            "number": secrets.token_urlsafe(16),
            "aud": _BROWSER_AUDIENCE,
            "exp": now + timedelta(seconds=_BROWSER_SECONDS),
        }
        cookie = self._signed(claims)
        self._put_at_login(response, BROWSER_COOKIE, cookie, seconds=_BROWSER_SECONDS)

    def put_login(self, response: Response, number: str) -> None:
        """Sets the login form's cookie."""
        self._put_at_login(response, LOGIN_COOKIE, number, seconds=_LOGIN_SECONDS)

    def _put_at_login(self, response: Response, name: str, value: str, *, seconds: int) -> None:
        """Sets a cookie that is sent with the login form only."""
        response.set_cookie(
            name, value, max_age=seconds, httponly=True, samesite="strict", secure=self._is_secure, path="/login"
        )

    def drop(self, response: Response) -> None:
        """Deletes the session cookie."""
        response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=self._is_secure)


def _covered(text: bytes, pad: bytes) -> bytes:
    """The text XORed with a pad; a second call restores it."""
    return bytes(one ^ other for one, other in zip(text, pad, strict=False))
