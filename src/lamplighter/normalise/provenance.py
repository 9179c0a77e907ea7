"""Where did each value come from, and how far is it to be trusted?"""

from collections.abc import Mapping
from typing import Any

from lamplighter.model.record import Found, Method

#: what is left of the trust in a field when another one is concluded from it
CAUTION = 0.8
#: how far to trust that a record is in the language of its page
OF_THE_PAGE = 0.5

#: what the record calls a value that a raw field of another name tells outright
_TELLS = {"location": "location_raw", "country": "country_iso"}
_NOTHING: tuple[Any, ...] = (None, ())
_NOT_CONCLUDED = frozenset({("level_norm", "level")})


def provenance(
    found: Mapping[str, Found], kept: Mapping[str, Any], concluded: Mapping[str, str]
) -> dict[str, tuple[str, float]]:
    """Method and confidence of each kept value. `concluded` names the raw field from which a value follows."""
    origins: dict[str, tuple[str, float]] = {}
    told: Found | None = None
    origin = ("", 0.0)
    for raw_name, where in found.items():
        name = _TELLS.get(raw_name, raw_name)
        if kept.get(name) in _NOTHING:
            continue
        if told is None or where.method is not told.method or where.confidence != told.confidence:
            # Most fields of a record were found in one place: then they share one origin.
            told, origin = where, (where.method.value, where.confidence)
        origins[name] = origin
    for name, source in concluded.items():
        if source in found:
            share = 1.0 if (name, source) in _NOT_CONCLUDED else CAUTION
            origins[name] = (found[source].method.value, round(found[source].confidence * share, 3))
    if kept.get("language") is not None and "language" not in origins:
        origins["language"] = (Method.HTML.value, OF_THE_PAGE)
    return origins
