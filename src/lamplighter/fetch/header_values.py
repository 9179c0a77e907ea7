"""Headers of requests and responses: validators, times, and text that any database stores."""

from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter.fetch.response_head import ResponseHeaders, text
from lamplighter.model.capture import Capture
from lamplighter.model.visit import Fetched, Validators
from lamplighter.rules.hosts import politeness, server_hints
from lamplighter.rules.robots import usage

_USAGE_NAMES = frozenset(name.lower() for name in usage.HEADERS)
_SAYING = _USAGE_NAMES | {"cache-control", "expires", "x-robots-tag"}


class Said(NamedTuple):
    """What a response says about its use."""

    #: how long it need not be fetched again
    fresh_for: timedelta | None = None
    #: all lines of X-Robots-Tag
    robots_tag: str | None = None
    #: what the content may be used for, one line each (see rules.usage)
    usage: str | None = None


_NOTHING = Said()


def line(name: str, value: str) -> bytes:
    """A header line of a request; raises ValueError for one that would be more than one line."""
    written = f"{name}: {value}" if value else f"{name};"
    if not name or any(character in written for character in "\r\n\0"):
        raise ValueError(f"the header {name!r} has a line break in it")
    return written.encode("utf-8", "surrogateescape")


def conditions(validators: Validators) -> dict[str, str]:
    """The headers of a conditional request."""
    if not validators:
        return {}
    headers = {}
    if validators.etag is not None:
        headers["If-None-Match"] = validators.etag
    if validators.last_modified is not None:
        headers["If-Modified-Since"] = validators.last_modified
    return headers


def validators(headers: ResponseHeaders) -> Validators:
    """The validators of a response."""
    values = headers.values_of
    return Validators(etag=_exact(values.get("etag")), last_modified=_exact(values.get("last-modified")))


def said(headers: ResponseHeaders, *, now: datetime) -> Said:
    """What a response says about its use; most say nothing."""
    if _SAYING.isdisjoint(headers.values_of):
        return _NOTHING
    return Said(fresh_for=_fresh_for(headers, now=now), robots_tag=_robots_tag(headers), usage=_used_for(headers))


def _fresh_for(headers: ResponseHeaders, *, now: datetime) -> timedelta | None:
    """How long a response need not be fetched again; the lines of Cache-Control are one list (RFC 9110, 5.3)."""
    values = headers.values_of
    if "cache-control" not in values and "expires" not in values:
        return None
    seen = {name: headers.get(name, "") for name in ("Age", "Date", "Expires")}
    seen["Cache-Control"] = ", ".join(headers.getall("Cache-Control"))
    return server_hints.fresh_for(seen, now=now)


def _used_for(headers: ResponseHeaders) -> str | None:
    """What the content may be used for, one line each (see rules.usage); None when the site does not say."""
    if _USAGE_NAMES.isdisjoint(headers.values_of):
        return None
    return text(usage.from_headers(headers))


def retry_after(headers: ResponseHeaders, *, now: datetime) -> timedelta | None:
    """How long a response's Retry-After is: of several lines the longest."""
    sent_at, cap = server_hints.http_date(headers.get("Date", "")), politeness.LONGEST_BLOCK
    lines = headers.getall("Retry-After")
    waits = [server_hints.retry_after(line, now=now, cap=cap, sent_at=sent_at) for line in lines]
    return max((wait for wait in waits if wait is not None), default=None)


def _robots_tag(headers: ResponseHeaders) -> str | None:
    """All lines of X-Robots-Tag; None when there is none."""
    lines = headers.values_of.get("x-robots-tag")
    return text("\n".join(lines)) or None if lines else None


def _exact(values: list[str] | None) -> str | None:
    """A header value that can be stored and sent back unchanged, else None; an altered validator is worse than none."""
    return values[0] if values and (values[0].isascii() or text(values[0]) == values[0]) else None


def refreshed(sent: Validators, got: Validators) -> Validators:
    """A 304 may bring new validators for the body we hold; what it leaves out stays."""
    return Validators(etag=got.etag or sent.etag, last_modified=got.last_modified or sent.last_modified)


def visit_of(capture: Capture) -> Fetched:
    """The visit that was archived as this capture."""
    raw = tuple([(name.encode("latin-1"), value.encode("latin-1")) for name, value in capture.headers])
    headers = ResponseHeaders([name + b": " + value + b"\r\n" for name, value in raw])
    use = said(headers, now=capture.fetched_at)
    return Fetched(
        url=capture.url,
        status=capture.status,
        body=capture.body,
        content_type=text(headers.get("Content-Type")),
        validators=validators(headers),
        at=capture.fetched_at,
        took=timedelta(0),
        fresh_for=use.fresh_for,
        robots_tag=use.robots_tag,
        usage=use.usage,
        headers=raw,
    )
