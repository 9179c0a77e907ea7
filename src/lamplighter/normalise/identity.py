"""Is this the same record as before, and did it change? The only place where records are hashed."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import orjson

from lamplighter.errors import BadUrl
from lamplighter.model.record import RecordKind
from lamplighter.rules.urls.urls import normalise, parse, registrable


def canonical_hash(
    kind: RecordKind,
    *,
    own_url: str | None,
    guid: str | None,
    source_url: str,
    page_url: str,
    title: str,
    organisation: str | None,
    location: str | None,
) -> str:
    """The hash of a record's identity: its own address, else the feed's id for it, else its name."""
    if own_url is not None:
        return _hash(kind, "url", own_url)
    if guid is not None:
        return _hash(kind, "guid", address_of(source_url) or source_url, guid)
    names = (" ".join((part or "").casefold().split()) for part in (title, organisation, location))
    return _hash(kind, "name", _site(page_url), *names)


def content_hash(values: Mapping[str, Any]) -> str:
    """The hash of a record's content: equal while no visible content changes, in any order of the values."""
    try:
        text = orjson.dumps(values, default=str, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a number beyond 64 bits, for example
        text = json.dumps(values, default=str, sort_keys=True).encode()
    return sha256(text).hexdigest()


def address_of(value: object) -> str | None:
    """The identity form of a web address; None for anything else, such as a javascript: link."""
    try:
        return normalise(str(value)) if value else None
    except BadUrl:
        return None


def _site(url: str) -> str:
    """The registered domain: a listing may move between the hosts of one site."""
    try:
        return registrable(parse(url).hostname)
    except BadUrl:
        return url


def _hash(*parts: str) -> str:
    # A separator that clean text never contains, so that no two lists of parts give the same text.
    return sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()
