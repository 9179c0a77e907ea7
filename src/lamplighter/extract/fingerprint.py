"""Did the visible content of a page change? The hash by which two versions of a page are compared."""

import json
from collections.abc import Iterable
from hashlib import sha256

import orjson

from lamplighter.model.reading import Link
from lamplighter.model.record import RawRecord

#: a feed changes these without new content
_UNNOTICED = frozenset({"updated_at", "guid"})


def of_records(records: Iterable[RawRecord], links: Iterable[Link]) -> str:
    """The hash of a page with records: of the records and the links, in any order; a new link is a change."""
    said = sorted(_canonical(record) for record in records)
    urls = "\n".join(sorted([link.url for link in links]))
    return sha256(b"\n".join([*said, urls.encode("utf-8", "replace")])).hexdigest()


def of_text(title: str | None, text: str) -> str:
    """The hash of a page without records: of its visible text."""
    return sha256(f"{title or ''}\n{text}".encode("utf-8", "replace")).hexdigest()


def of_body(body: bytes) -> str:
    """The hash of a body we could not parse: of its bytes."""
    return sha256(body).hexdigest()


def _canonical(record: RawRecord) -> bytes:
    values = {name: found.value for name, found in record.fields.items() if name not in _UNNOTICED}
    said = [record.kind, values]
    try:
        return orjson.dumps(said, default=str, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        # Nested more deeply, or a number larger, than orjson writes.
        return json.dumps(said, sort_keys=True, default=str).encode()
