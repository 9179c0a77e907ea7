"""How complete is a record? The weighted share of the fields that a complete record of its kind has, from 0 to 1."""

from collections.abc import Mapping
from typing import Any

from lamplighter.model.record import RecordKind

#: the weight of each field; the weights of a kind add up to 1, so that one more field never makes a record worse
WEIGHTS: Mapping[RecordKind, Mapping[str, float]] = {
    RecordKind.JOB: {
        "title": 0.20,
        "url": 0.20,
        "location_raw": 0.15,
        "deadline": 0.15,
        "organisation": 0.10,
        "description": 0.10,
        "published_at": 0.05,
        "career_type": 0.05,
    },
    RecordKind.ARTICLE: {
        "title": 0.20,
        "url": 0.20,
        "published_at": 0.20,
        "description": 0.10,
        "text": 0.15,
        "author": 0.10,
        "section": 0.05,
    },
    RecordKind.PRODUCT: {
        "title": 0.20,
        "url": 0.20,
        "price": 0.25,
        "currency": 0.10,
        "availability": 0.10,
        "description": 0.05,
        "brand": 0.05,
        "sku": 0.05,
    },
    RecordKind.OTHER: {"title": 0.20, "url": 0.20, "description": 0.35, "published_at": 0.25},
}
_MISSING: tuple[Any, ...] = (None, "", ())


def quality(kind: RecordKind, values: Mapping[str, Any]) -> float:
    """The sum of the weights of the fields that have a value."""
    return round(sum([weight for name, weight in WEIGHTS[kind].items() if values.get(name) not in _MISSING]), 3)
