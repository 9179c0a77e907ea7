"""The edit that each action makes to a source, without I/O: shared by single and bulk actions."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.operations.sources.source_words import priority_word
from lamplighter.store.sources.source_bulk import SourceEdit

#: the reason for which a deleted source is disabled, so that restoring knows whether it was so before
DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChangeContext:
    """Who changes sources, why, and the defaults for their jobs."""

    stamp: Stamp
    source_defaults: SourceDefaults
    reason: str | None = None
    #: as the caller calls themselves to those who hear of it; None takes the actor
    toggled_by: str | None = None

    @property
    def payload(self) -> dict[str, Any]:
        """What events tell of it."""
        return {"reason": self.reason or "", "toggled_by": self.toggled_by or self.stamp.actor}


def refuse_deleted(source: Source) -> None:
    """Nothing is done to a source that is deleted, but to restore or to purge it."""
    if source.deleted_at is not None:
        message = f"source {source.public_id} is deleted; restore it first"
        raise NotPossible(message, code="source_deleted", possible=("restore",))


def enabling(source: Source, context: SourceChangeContext) -> SourceEdit:
    """The source may be crawled."""
    refuse_deleted(source)
    before, after = {"enabled": source.enabled}, _with_reason(context, enabled=True)
    return SourceEdit(source, _enabled(source), "SOURCE_ENABLED", context.payload, before, after)


def disabling(source: Source, context: SourceChangeContext) -> SourceEdit:
    """The source is disabled."""
    refuse_deleted(source)
    becomes = _disabled(source, context, reason=context.reason)
    after = _with_reason(context, enabled=False)
    return SourceEdit(source, becomes, "SOURCE_DISABLED", context.payload, {"enabled": source.enabled}, after)


def deleting(source: Source, context: SourceChangeContext) -> SourceEdit:
    """The source is deleted and disabled; one that was disabled before keeps the reason."""
    refuse_deleted(source)
    left_alone = _disabled(source, context, reason=DELETED) if source.enabled else source
    becomes = replace(left_alone, deleted_at=context.stamp.now)
    payload = {"name": source.name, "deletion_reason": context.reason or "deleted by an operator"}
    after = _with_reason(context, deleted=True)
    return SourceEdit(source, becomes, "SOURCE_DELETED", payload, {"deleted": False}, after)


def restoring(source: Source, context: SourceChangeContext) -> SourceEdit:
    """The source is what it was before it was deleted."""
    if source.deleted_at is None:
        raise NotPossible(f"source {source.public_id} is not deleted; there is nothing to restore", code="not_deleted")
    was_enabled = source.disabled_reason == DELETED
    becomes = replace(_enabled(source) if was_enabled else source, deleted_at=None)
    payload = context.payload | {"reason": context.reason or "restored"}
    event = "SOURCE_ENABLED" if was_enabled else "SOURCE_DISABLED"
    return SourceEdit(source, becomes, event, payload, {"deleted": True}, _with_reason(context, deleted=False))


def prioritising(source: Source, priority: int) -> SourceEdit:
    """The source has another priority."""
    refuse_deleted(source)
    before, after = ({"priority": priority_word(number)} for number in (source.priority, priority))
    becomes = replace(source, priority=priority)
    return SourceEdit(source, becomes, "SOURCE_UPDATED", _update(before, after), before, after)


def labelling(source: Source, *, before: Collection[str], after: Collection[str]) -> SourceEdit:
    """The source carries other tags."""
    refuse_deleted(source)
    had, has = {"tags": sorted(before)}, {"tags": sorted(after)}
    return SourceEdit(source, source, "SOURCE_UPDATED", _update(had, has), had, has)


def _enabled(source: Source) -> Source:
    return replace(source, enabled=True, disabled_reason=None, disabled_at=None, disabled_by=None)


def _disabled(source: Source, context: SourceChangeContext, *, reason: str | None) -> Source:
    by = context.toggled_by or context.stamp.actor
    return replace(source, enabled=False, disabled_reason=reason, disabled_at=context.stamp.now, disabled_by=by)


def _with_reason(context: SourceChangeContext, **after: Any) -> dict[str, Any]:
    return after | ({"reason": context.reason} if context.reason else {})


def _update(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    return {"changed_fields": sorted(after), "previous": before, "current": after}
