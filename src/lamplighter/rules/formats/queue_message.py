"""The messages by which workers wake each other: ids and nothing else.

    {"version": 1, "host_id": 17}               this host has pages to fetch
    {"version": 1, "page_ids": [4, 8, 15]}      these pages wait to be parsed

A message without a version means 1.
"""

from collections.abc import Sequence
from typing import Any, Final

import orjson

VERSION: Final = 1
#: pages in one message
MOST_PAGES: Final = 1000
_MOST_BYTES = 64 * 1024
_LARGEST_ID = 2**63 - 1


class BadMessage(ValueError):
    """A message that can never be processed; says why."""


def host_message(host_id: int) -> bytes:
    """A message that a host has pages to fetch."""
    return orjson.dumps({"version": VERSION, "host_id": host_id})


def pages_message(page_ids: Sequence[int]) -> bytes:
    """A message that pages wait to be parsed."""
    return orjson.dumps({"version": VERSION, "page_ids": list(page_ids)})


def hosts_in(body: bytes) -> list[int]:
    """The host of a message about a host; raises BadMessage."""
    return [_id(_fields(body).get("host_id"), "host_id")]


def pages_in(body: bytes) -> list[int]:
    """The pages of a message about pages; raises BadMessage."""
    ids = _fields(body).get("page_ids")
    if not isinstance(ids, list) or not 1 <= len(ids) <= MOST_PAGES:
        raise BadMessage(f"page_ids must be a list of 1 to {MOST_PAGES} ids")
    return [_id(value, "page_ids") for value in ids]


def _fields(body: bytes) -> dict[str, Any]:
    if len(body) > _MOST_BYTES:
        raise BadMessage(f"{len(body)} bytes are too many; {_MOST_BYTES} are allowed")
    try:
        fields = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadMessage(f"not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise BadMessage("not a JSON object")
    version = fields.get("version", VERSION)
    if isinstance(version, bool) or version != VERSION:
        raise BadMessage(f"version {str(version)[:40]!r} is unknown; this program knows {VERSION}")
    return fields


def _id(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LARGEST_ID:
        raise BadMessage(f"{name} holds {str(value)[:40]!r}, which is not an id")
    return value
