"""What a verb makes of a source, decided without asking anybody: shared by one source and by thousands of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from lamplighter.crawl.norms import Norms
from lamplighter.errors import NotPossible
from lamplighter.operations.source_words import priority_word
from lamplighter.store.sources import SourceRow

#: the reason for which a deleted source is disabled, so that restoring knows whether it was so before
DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toggle:
    """Who does something to sources, why, and by which norms their jobs follow."""

    actor: str
    norms: Norms
    now: datetime
    reason: str | None = None
    #: as the caller calls themselves to those who hear of it; None takes the actor
    toggled_by: str | None = None

    @property
    def payload(self) -> dict[str, Any]:
        """What events tell of it."""
        return {"reason": self.reason or "", "toggled_by": self.toggled_by or self.actor}


class Edit(NamedTuple):
    """What is written into a source, and what is told of it."""

    source: SourceRow
    values: Mapping[str, Any]
    event: str
    payload: Mapping[str, Any]
    before: Mapping[str, Any]
    after: Mapping[str, Any]


def refuse_deleted(source: SourceRow) -> None:
    """Nothing is done to a source that is deleted, but to restore or to purge it."""
    if source.deleted_at is not None:
        message = f"source {source.public_id} is deleted; restore it first"
        raise NotPossible(message, code="source_deleted", possible=("restore",))


def enabling(source: SourceRow, toggle: Toggle) -> Edit:
    """The source may be crawled."""
    refuse_deleted(source)
    return Edit(
        source,
        _ENABLED,
        "SOURCE_ENABLED",
        toggle.payload,
        {"enabled": source.enabled},
        _with_reason(toggle, enabled=True),
    )


def disabling(source: SourceRow, toggle: Toggle) -> Edit:
    """The source is left alone."""
    refuse_deleted(source)
    values = _disabled(toggle, reason=toggle.reason)
    after = _with_reason(toggle, enabled=False)
    return Edit(source, values, "SOURCE_DISABLED", toggle.payload, {"enabled": source.enabled}, after)


def deleting(source: SourceRow, toggle: Toggle) -> Edit:
    """The source is hidden and left alone; one that was disabled before keeps the reason."""
    refuse_deleted(source)
    values = {"deleted_at": toggle.now} | (_disabled(toggle, reason=DELETED) if source.enabled else {})
    payload = {"name": source.name, "deletion_reason": toggle.reason or "deleted by an operator"}
    return Edit(source, values, "SOURCE_DELETED", payload, {"deleted": False}, _with_reason(toggle, deleted=True))


def restoring(source: SourceRow, toggle: Toggle) -> Edit:
    """The source is what it was before it was deleted."""
    if source.deleted_at is None:
        raise NotPossible(f"source {source.public_id} is not deleted; there is nothing to restore", code="not_deleted")
    was_enabled = source.disabled_reason == DELETED
    values = {"deleted_at": None} | (_ENABLED if was_enabled else {})
    payload = toggle.payload | {"reason": toggle.reason or "restored"}
    event = "SOURCE_ENABLED" if was_enabled else "SOURCE_DISABLED"
    return Edit(source, values, event, payload, {"deleted": True}, _with_reason(toggle, deleted=False))


def prioritising(source: SourceRow, priority: int) -> Edit:
    """The source has another priority."""
    refuse_deleted(source)
    before, after = ({"priority": priority_word(number)} for number in (source.priority, priority))
    return Edit(source, {"priority": priority}, "SOURCE_UPDATED", _update(before, after), before, after)


def labelling(source: SourceRow, *, before: Collection[str], after: Collection[str]) -> Edit:
    """The source carries other tags."""
    refuse_deleted(source)
    had, has = {"tags": sorted(before)}, {"tags": sorted(after)}
    return Edit(source, {}, "SOURCE_UPDATED", _update(had, has), had, has)


_ENABLED = {"enabled": True, "disabled_reason": None, "disabled_at": None, "disabled_by": None}


def _disabled(toggle: Toggle, *, reason: str | None) -> dict[str, Any]:
    by = toggle.toggled_by or toggle.actor
    return {"enabled": False, "disabled_reason": reason, "disabled_at": toggle.now, "disabled_by": by}


def _with_reason(toggle: Toggle, **after: Any) -> dict[str, Any]:
    return after | ({"reason": toggle.reason} if toggle.reason else {})


def _update(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    return {"changed_fields": sorted(after), "previous": before, "current": after}
