"""The source as it holds for its crawl job.

What the source says; where it says nothing, what its tags say (in the order of their names, the first that says
something); and over both, what a person set for the job.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from lamplighter.model.crawl import CrawlJob, Override
from lamplighter.model.schedule import PolicyName
from lamplighter.store import sources, tag_orders
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow
from lamplighter.store.tag_orders import TagOrder

#: what a tag may say in place of a source
INHERITED = ("policy", "interval_seconds", "min_interval_seconds", "max_interval_seconds", "windows", "max_pages")


def effective(
    source: SourceRow, tags: Sequence[TagOrder], override: Override | None, *, default: PolicyName = PolicyName.LEARNED
) -> SourceRow:
    """The source with what it inherits and what was set over it; `default` is the installation's policy."""
    held = source._replace(**{name: first_said(name, source, tags) for name in INHERITED})
    return _overridden(held, override, default=default) if override is not None else held


async def of_job(db: Connection, job: CrawlJob, *, default: PolicyName = PolicyName.LEARNED) -> SourceRow:
    """The source of one job."""
    found = await of_jobs(db, [job], default=default)
    assert found, "a crawl job cannot outlive its source"
    return found[job.source_id]


async def of_jobs(
    db: Connection, jobs: Iterable[CrawlJob], *, default: PolicyName = PolicyName.LEARNED
) -> dict[int, SourceRow]:
    """The sources of these jobs, by their ids; who holds no lock may miss one that was removed a moment ago."""
    overrides = {job.source_id: job.override for job in jobs}
    known = await sources.many(db, overrides)
    tags = await tag_orders.many(db, overrides)
    return {
        source_id: effective(source, tags.get(source_id, ()), overrides[source_id], default=default)
        for source_id, source in known.items()
    }


async def of_source(db: Connection, source: SourceRow, *, default: PolicyName = PolicyName.LEARNED) -> SourceRow:
    """A source for which nobody has set anything yet."""
    tags = await tag_orders.many(db, [source.id])
    return effective(source, tags.get(source.id, ()), None, default=default)


def first_said(name: str, source: Any, tags: Iterable[TagOrder]) -> Any:
    """What the source says, else the first of its tags that says something; as the source has it when none does."""
    own = getattr(source, name)
    return own if _says(own) else next((getattr(tag, name) for tag in tags if _says(getattr(tag, name))), own)


def policy_of(said: str | None, *, adaptive: bool | None, default: PolicyName) -> str | None:
    """Adaptive or not, where a person said which; of two adaptive policies neither is more so than the other."""
    is_fixed = (said or default) == PolicyName.FIXED
    if adaptive is None or adaptive != is_fixed:
        return said
    return PolicyName.LEARNED if adaptive else PolicyName.FIXED


def _says(value: Any) -> bool:
    return value is not None and value != []


def _overridden(source: SourceRow, override: Override, *, default: PolicyName) -> SourceRow:
    seconds = int(override.interval.total_seconds()) if override.interval is not None else None
    said: dict[str, Any] = {
        "interval_seconds": seconds,
        "priority": override.priority,
        "windows": override.windows,
        "recurring": override.recurring,
        "policy": policy_of(source.policy, adaptive=override.adaptive, default=default),
    }
    return source._replace(**{name: value for name, value in said.items() if value is not None})
