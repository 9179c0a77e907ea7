"""Did one of our own pages send this, or another site through somebody's browser?

It matters where a browser adds the authority by itself: a session's cookie, or being on the developer's machine. A
program with a token of its own cannot be made to send it by a page.
"""

from collections.abc import MutableMapping
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers

from lamplighter.settings import Settings

#: where a form or a script of ours puts the session's token
HEADER = "x-csrf-token"
FIELD = "csrf_token"
#: requests that change nothing
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_KEY = "csrf_token"


def foreign_sender(headers: Headers, settings: Settings, *, scheme: str, must_say: bool) -> str | None:
    """Why a request does not come from us, None when it may; `must_say` where only a browser could be asking."""
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
    """Keeps a session's token for the pages that answer its request."""
    scope[_KEY] = token


def csrf_token(request: Request) -> str:
    """What the forms of a page must carry in the field `csrf_token`; empty where there is no session."""
    return str(request.scope.get(_KEY, ""))
