"""Which cookies of a response are kept, and which are sent with a request?

RFC 6265 with the hardening of its successor, and narrower where a crawler can afford it: no cookie for a public suffix,
none set by one site for another, none back over http that came over https, none to another port.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter.model.visit import Cookie
from lamplighter.rules.hosts import server_hints
from lamplighter.rules.urls import urls
from lamplighter.rules.urls.addresses import is_literal
from lamplighter.rules.urls.urls import WebUrl

#: cookies of one site that are kept for a source
MOST_COOKIES = 50
#: bytes of one Set-Cookie line
LONGEST_LINE = 4096
#: bytes of a Cookie header: servers refuse longer ones
LONGEST_HEADER = 8192
#: how long a cookie lasts that names no end: a crawler has no browser window whose closing would end it
SESSION = timedelta(days=1)
LONGEST_LIFE = timedelta(days=400)
#: a change of the end by less than this is not written
_MOVED = timedelta(hours=1)

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)

# Why a cookie is not kept, as the run's log says it: never with its name or value.
MALFORMED = "malformed"
TOO_LONG = f"longer than {LONGEST_LINE} bytes"
FOREIGN = "for a public suffix or another site"
INSECURE = "set over http for https, or against what its name promises"
TOO_MANY = f"beyond the {MOST_COOKIES} that are kept"


def site_of(url: WebUrl) -> str:
    """The site whose cookies may go to a URL: its registered domain, with its port if that is not the scheme's own."""
    port = _port(url)
    return urls.registrable(url.hostname) + (f":{port}" if port is not None else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedCookies:
    """The result of reading a response's cookies."""

    #: new cookies, and known ones that changed
    kept: tuple[Cookie, ...] = ()
    #: known cookies that the site deleted
    withdrawn: tuple[Cookie, ...] = ()
    #: why other cookies were not kept, and how many for each reason
    ignored: Counter[str]


def received(lines: Iterable[str], url: WebUrl, known: Sequence[Cookie], *, now: datetime) -> ReceivedCookies:
    """Which of the Set-Cookie lines from a URL to keep, given the cookies already known of its site."""
    before = {cookie.identity: cookie for cookie in known if cookie.expires_at > now}
    after = dict(before)
    withdrawn: dict[tuple[object, ...], Cookie] = {}
    ignored: Counter[str] = Counter()
    for line in lines:
        cookie = parsed(line, url, now=now)
        if isinstance(cookie, str):
            ignored[cookie] += 1
            continue
        there = after.get(cookie.identity)
        if there is not None and there.is_secure and url.scheme != "https":
            ignored[INSECURE] += 1
        elif cookie.expires_at <= now:
            if after.pop(cookie.identity, None) is not None:
                withdrawn[cookie.identity] = cookie
        elif there is None and len(after) >= MOST_COOKIES:
            ignored[TOO_MANY] += 1
        else:
            after[cookie.identity] = cookie
            withdrawn.pop(cookie.identity, None)
    kept = tuple(cookie for identity, cookie in after.items() if not _is_as_before(before.get(identity), cookie))
    return ReceivedCookies(kept=kept, withdrawn=tuple(withdrawn.values()), ignored=ignored)


def header(cookies: Iterable[Cookie], url: WebUrl, *, now: datetime) -> str | None:
    """The Cookie header of a request, longest paths first; None when there is no cookie to send."""
    going = sorted((each for each in cookies if _goes_to(each, url, now)), key=lambda each: -len(each.path))
    text = ""
    for cookie in going:
        longer = f"{text}; {cookie.name}={cookie.value}" if text else f"{cookie.name}={cookie.value}"
        if len(longer.encode()) <= LONGEST_HEADER:
            text = longer
    return text or None


def parsed(line: str, url: WebUrl, *, now: datetime) -> Cookie | str:
    """The cookie that a Set-Cookie line from a URL sets, or the reason why it is not kept."""
    if _CONTROL.search(line):
        return MALFORMED
    if len(line.encode()) > LONGEST_LINE:
        return TOO_LONG
    pair, *rest = line.split(";")
    name, equals, value = (part.strip() for part in pair.partition("="))
    if not name or not equals:
        return MALFORMED
    # Of a name that is there twice, the last one counts.
    said = {key.strip().lower(): text.strip() for key, _, text in (part.partition("=") for part in rest)}
    scope = _scope(said.get("domain", ""), url)
    if scope is None:
        return FOREIGN
    is_https = url.scheme == "https"
    if ("secure" in said and not is_https) or not _keeps_its_promise(name, said, is_https=is_https):
        return INSECURE
    path = said.get("path", "")
    return Cookie(
        name=name,
        value=value,
        domain=scope.domain,
        port=_port(url),
        is_host_only=scope.is_host_only,
        path=path if path.startswith("/") else _default_path(url),
        is_secure=is_https,
        expires_at=_expires_at(said.get("max-age", ""), said.get("expires", ""), now),
    )


class _Scope(NamedTuple):
    domain: str
    is_host_only: bool


def _scope(domain: str, url: WebUrl) -> _Scope | None:
    """The hosts to which the cookie is sent back; None when this host may not set a cookie for the domain."""
    wanted = domain.removeprefix(".").lower()
    if not wanted or wanted == url.hostname:
        return _Scope(url.hostname, not wanted or is_literal(wanted) or _is_public_suffix(url.hostname))
    if is_literal(url.hostname) or not url.hostname.endswith(f".{wanted}"):
        return None
    # Above the registered domain there are only public suffixes.
    ours = urls.registrable(url.hostname)
    return _Scope(wanted, False) if wanted == ours or wanted.endswith(f".{ours}") else None


def _is_public_suffix(hostname: str) -> bool:
    """A public suffix is its own registered domain, and so is what has no dot or one: only the name below tells."""
    return urls.registrable(f"x.{hostname}") != hostname


def _keeps_its_promise(name: str, said: dict[str, str], *, is_https: bool) -> bool:
    lower = name.lower()
    if lower.startswith("__host-"):
        return is_https and "secure" in said and not said.get("domain") and said.get("path") == "/"
    return not lower.startswith("__secure-") or (is_https and "secure" in said)


def _expires_at(max_age: str, expires: str, now: datetime) -> datetime:
    if _WHOLE_NUMBER.fullmatch(max_age):
        return now + timedelta(seconds=max(0, min(int(max_age), LONGEST_LIFE.total_seconds())))
    moment = server_hints.http_date(expires)
    return now + SESSION if moment is None else min(moment, now + LONGEST_LIFE)


def _goes_to(cookie: Cookie, url: WebUrl, now: datetime) -> bool:
    if cookie.expires_at <= now or cookie.port != _port(url) or (cookie.is_secure and url.scheme != "https"):
        return False
    is_below = not cookie.is_host_only and url.hostname.endswith(f".{cookie.domain}")
    return (url.hostname == cookie.domain or is_below) and _covers(cookie.path, _path(url))


def _covers(cookie_path: str, path: str) -> bool:
    if not path.startswith(cookie_path):
        return False
    return len(path) == len(cookie_path) or cookie_path.endswith("/") or path[len(cookie_path)] == "/"


def _default_path(url: WebUrl) -> str:
    return _path(url).rpartition("/")[0] or "/"


def _path(url: WebUrl) -> str:
    return url.path_query.partition("?")[0]


def _port(url: WebUrl) -> int | None:
    """The port where the host key names it, which it does when it is not the scheme's own."""
    return url.port if url.host_key.endswith(f":{url.port}") else None


def _is_as_before(before: Cookie | None, cookie: Cookie) -> bool:
    if before is None or abs(before.expires_at - cookie.expires_at) > _MOVED:
        return False
    return replace(before, expires_at=cookie.expires_at) == cookie
