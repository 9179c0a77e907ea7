"""Sessions of people who logged in: a signed cookie that says who, until when, and under which number of the user's.

Raising that number ends all of a user's sessions at once, wherever their cookies are.
"""

import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

import jwt
from starlette.responses import Response

from lamplighter.settings import Settings
from lamplighter.web.access.keys import Keys

COOKIE = "lamplighter_session"
#: goes with the login form only, so that nobody is made to log in as somebody else
LOGIN_COOKIE = "lamplighter_login"
_LOGIN_SECONDS = 3600
_AUDIENCE = "lamplighter session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a good cookie says."""

    user: str
    epoch: int
    #: to which its forms are bound
    number: str


class Sessions:
    """Opens sessions and knows them again."""

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
        return jwt.encode(claims, self._keys.session, algorithm="HS256")

    def read(self, cookie: str) -> Session | None:
        """The session of a cookie; None when it is over or not ours."""
        required = ["sub", "epoch", "sid", "exp", "aud"]
        try:
            claims = jwt.decode(
                cookie,
                self._keys.session,
                algorithms=["HS256"],
                audience=_AUDIENCE,
                leeway=10,
                options={"require": required},
            )
        except (jwt.InvalidTokenError, ValueError):
            return None
        return Session(user=claims["sub"], epoch=claims["epoch"], number=claims["sid"])

    def form_token(self, number: str) -> str:
        """What a form must carry that belongs to this session, or to this login page.

        Written differently each time: pages are sent packed, and how small a page becomes could tell a token that
        stays the same.
        """
        pad = secrets.token_bytes(sha256().digest_size)
        return (pad + _covered(self._form_mac(number), pad)).hex()

    def is_form_token(self, token: str, number: str) -> bool:
        """Whether a form belongs to this session."""
        try:
            given = bytes.fromhex(token)
        except ValueError:
            return False
        pad, covered = given[: len(given) // 2], given[len(given) // 2 :]
        return hmac.compare_digest(_covered(covered, pad), self._form_mac(number))

    def _form_mac(self, number: str) -> bytes:
        return hmac.new(self._keys.form, number.encode("utf-8", "replace"), sha256).digest()

    def put(self, response: Response, cookie: str) -> None:
        """Gives the browser its session."""
        seconds = round(self._lasts.total_seconds())
        response.set_cookie(COOKIE, cookie, max_age=seconds, httponly=True, samesite="lax", secure=self._is_secure)

    def put_login(self, response: Response, number: str) -> None:
        """Binds the login form to this browser."""
        response.set_cookie(
            LOGIN_COOKIE,
            number,
            max_age=_LOGIN_SECONDS,
            httponly=True,
            samesite="strict",
            secure=self._is_secure,
            path="/login",
        )

    def drop(self, response: Response) -> None:
        """Makes the browser forget its session."""
        response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=self._is_secure)


def _covered(text: bytes, pad: bytes) -> bytes:
    """The text under a pad; done twice it is the text again."""
    return bytes(one ^ other for one, other in zip(text, pad, strict=False))
