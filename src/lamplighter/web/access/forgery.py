"""Cross-site request forgery: checks that a request comes from our own pages.

It matters where a browser sends the credentials by itself: a session cookie, or a developer's own machine. Another
site's page cannot make a program send its token.
"""

from collections.abc import MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request

from lamplighter.settings import Settings

#: where our forms and scripts put the session's CSRF token
HEADER = "x-csrf-token"
FIELD = "csrf_token"
#: methods that change nothing
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_KEY = "csrf_token"


def foreign_sender(headers: Headers, settings: Settings, *, scheme: str, must_say: bool) -> str | None:
    """Why a request is cross-site, None if it is not; `must_say` requires the headers that browsers send."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        return f"the browser says that it comes from elsewhere ({site[:20]})"
    if origin is not None and origin not in _own_origins(headers, settings, scheme):
        return f"it comes from {origin[:200]!r}; if that is this service, set LAMPLIGHTER_PUBLIC_URL to it"
    if must_say and site is None and origin is None:
        return "it does not say from where it comes, as browsers do"
    return None


def _own_origins(headers: Headers, settings: Settings, scheme: str) -> set[str]:
    own = {f"{scheme}://{headers.get('host')}"}
    if settings.public_url is not None:
        public = urlsplit(settings.public_url)
        own.add(f"{public.scheme}://{public.netloc}".lower())
    return own


def remember(scope: MutableMapping[str, Any], token: str) -> None:
    """Keeps the session's CSRF token for the page that is rendered."""
    scope[_KEY] = token


def csrf_token(request: Request) -> str:
    """The CSRF token for the forms of a page; empty without a session."""
    return str(request.scope.get(_KEY, ""))
