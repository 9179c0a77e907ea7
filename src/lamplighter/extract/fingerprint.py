"""Did anything that a reader would notice change? The hash by which two readings of a page are compared."""

import json
from collections.abc import Iterable
from hashlib import sha256

from lamplighter.model.reading import Link
from lamplighter.model.record import RawRecord

#: a feed touches these without saying anything new
_UNNOTICED = frozenset({"updated_at", "guid"})


def of_records(records: Iterable[RawRecord], links: Iterable[Link]) -> str:
    """Of a page that has records: them and the links, in whatever order; a listing with a new link has changed."""
    said = sorted(_canonical(record) for record in records)
    return _hash("\n".join([*said, *sorted(link.url for link in links)]))


def of_text(title: str | None, text: str) -> str:
    """Of a page without records: what it shows."""
    return _hash(f"{title or ''}\n{text}")


def of_body(body: bytes) -> str:
    """Of a body we could not read: its bytes."""
    return sha256(body).hexdigest()


def _canonical(record: RawRecord) -> str:
    values = {name: found.value for name, found in record.fields.items() if name not in _UNNOTICED}
    return json.dumps([record.kind, values], sort_keys=True, default=str)


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()
