"""Says in a few words what an event changed: rate_limit 5 → 10."""

from collections.abc import Mapping
from typing import Any

_LONGEST_VALUE = 60
_LONGEST = 500
_REASONS = ("deletion_reason", "reason")
_ACTORS = ("toggled_by", "disabled_by", "enabled_by")


def changes_of(payload: Mapping[str, Any]) -> str | None:
    """What the payload of an event says: its changes, or the reason; None if it says neither."""
    before, after = _mapping(payload.get("previous")), _mapping(payload.get("current"))
    if after:
        told = (f"{name} {_shown(before[name]) if name in before else '?'} → {_shown(after[name])}" for name in after)
        return ", ".join(told)[:_LONGEST]
    reason = next((str(payload[name]) for name in _REASONS if payload.get(name)), None)
    actor = next((str(payload[name]) for name in _ACTORS if payload.get(name)), None)
    said = [f"by {actor}"] if actor else []
    return ": ".join([*said, reason] if reason else said)[:_LONGEST] or None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "unset"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value)) or "none"
    text = str(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
