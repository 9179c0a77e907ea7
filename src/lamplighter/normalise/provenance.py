"""The provenance of each value: its method and confidence."""

from collections.abc import Mapping
from typing import Any

from lamplighter.model.record import Finding, Method

#: factor on the confidence of a field when another one is inferred from it
CAUTION = 0.8
#: confidence that a record is in the language of its page
OF_THE_PAGE = 0.5

#: record value -> raw field of another name that gives it directly
_TELLS = {"location": "location_raw", "country": "country_iso"}
_NOTHING: tuple[Any, ...] = (None, ())
_NOT_CONCLUDED = frozenset({("level_norm", "level")})


def provenance(
    found: Mapping[str, Finding], kept: Mapping[str, Any], concluded: Mapping[str, str]
) -> dict[str, tuple[str, float]]:
    """Method and confidence of each kept value. `concluded` names the raw field from which a value follows."""
    origins: dict[str, tuple[str, float]] = {}
    told: Finding | None = None
    origin = ("", 0.0)
    for raw_name, where in found.items():
        name = _TELLS.get(raw_name, raw_name)
        if kept.get(name) in _NOTHING:
            continue
        if told is None or where.method is not told.method or where.confidence != told.confidence:
            # Most fields of a record were found in one place: then they share one tuple.
            told, origin = where, (where.method.value, where.confidence)
        origins[name] = origin
    for name, source in concluded.items():
        if source in found:
            share = 1.0 if (name, source) in _NOT_CONCLUDED else CAUTION
            origins[name] = (found[source].method.value, round(found[source].confidence * share, 3))
    if kept.get("language") is not None and "language" not in origins:
        origins["language"] = (Method.HTML.value, OF_THE_PAGE)
    return origins
