"""Did anything that a reader would notice change? The hash by which two readings of a page are compared."""

import json
from collections.abc import Iterable
from hashlib import sha256

import orjson

from lamplighter.model.reading import Link
from lamplighter.model.record import RawRecord

#: a feed touches these without saying anything new
_UNNOTICED = frozenset({"updated_at", "guid"})


def of_records(records: Iterable[RawRecord], links: Iterable[Link]) -> str:
    """Of a page that has records: them and the links, in whatever order; a listing with a new link has changed."""
    said = sorted(_canonical(record) for record in records)
    urls = "\n".join(sorted([link.url for link in links]))
    return sha256(b"\n".join([*said, urls.encode("utf-8", "replace")])).hexdigest()


def of_text(title: str | None, text: str) -> str:
    """Of a page without records: what it shows."""
    return sha256(f"{title or ''}\n{text}".encode("utf-8", "replace")).hexdigest()


def of_body(body: bytes) -> str:
    """Of a body we could not read: its bytes."""
    return sha256(body).hexdigest()


def _canonical(record: RawRecord) -> bytes:
    values = {name: found.value for name, found in record.fields.items() if name not in _UNNOTICED}
    said = [record.kind, values]
    try:
        return orjson.dumps(said, default=str, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        # Nested more deeply, or a number larger, than orjson writes.
        return json.dumps(said, sort_keys=True, default=str).encode()
