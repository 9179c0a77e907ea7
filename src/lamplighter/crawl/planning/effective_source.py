"""The effective source of a crawl job.

The source's own settings; where it has none, those of its tags (the first tag by name that has the setting);
and over both, the job's override.
"""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

from lamplighter.model import window_json
from lamplighter.model.crawl import CrawlJob, Override
from lamplighter.model.schedule import PolicyName
from lamplighter.model.source import InheritedOptions, Source, TagOptions
from lamplighter.rules.schedule import policy_choice
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import sources
from lamplighter.store.sources import tags as stored_tags

#: settings that a source may inherit from a tag; windows are inherited together with their faults
_INHERITED = tuple(each.name for each in fields(InheritedOptions) if each.name != "windows")


def effective(
    source: Source, tags: Sequence[TagOptions], override: Override | None, *, default: PolicyName = PolicyName.LEARNED
) -> Source:
    """The source with inherited settings and the override; `default` is the installation's policy."""
    held = _inheriting(source, tags) if tags else source
    held = _overridden(held, override, default=default) if override is not None else held
    policy = policy_choice.chosen(held.policy, has_interval=held.interval is not None, default=default)
    return replace(held, policy=policy) if policy != held.policy else held


def _inheriting(source: Source, tags: Sequence[TagOptions]) -> Source:
    sayers: Sequence[Source | TagOptions] = (source, *tags)
    timed = next((each for each in sayers if each.has_windows), source)
    said = {name: first_said(name, source, tags) for name in _INHERITED}
    return replace(source, windows=timed.windows, window_faults=timed.window_faults, **said)


async def of_job(db: Connection, job: CrawlJob, *, default: PolicyName = PolicyName.LEARNED) -> Source:
    """One effective source."""
    found = await of_jobs(db, [job], default=default)
    assert found, "a crawl job cannot outlive its source"
    return found[job.source_id]


async def of_jobs(
    db: Connection, jobs: Iterable[CrawlJob], *, default: PolicyName = PolicyName.LEARNED
) -> dict[int, Source]:
    """The effective sources of these jobs, by id; without a lock, one removed just now may be missing."""
    overrides = {job.source_id: job.override for job in jobs}
    known = await sources.many(db, overrides)
    tags = await stored_tags.settings_of_sources(db, overrides)
    return {
        source_id: effective(source, tags.get(source_id, ()), overrides[source_id], default=default)
        for source_id, source in known.items()
    }


async def of_source(db: Connection, source: Source, *, default: PolicyName = PolicyName.LEARNED) -> Source:
    """The effective source without a job override."""
    tags = await stored_tags.settings_of_sources(db, [source.id])
    return effective(source, tags.get(source.id, ()), None, default=default)


def first_said(name: str, source: Any, tags: Iterable[TagOptions]) -> Any:
    """The source's own setting, else that of the first tag that has it; None if none does."""
    own = getattr(source, name)
    return own if own is not None else next((said for tag in tags if (said := getattr(tag, name)) is not None), None)


def _by_job(source: Source, override: Override, *, default: PolicyName) -> PolicyName | None:
    return policy_choice.overridden(
        source.policy,
        adaptive=override.adaptive,
        sets_interval=override.interval is not None,
        has_interval=override.interval is not None or source.interval is not None,
        default=default,
    )


def _overridden(source: Source, override: Override, *, default: PolicyName) -> Source:
    said: dict[str, Any] = {
        "interval": override.interval,
        "priority": override.priority,
        "recurring": override.recurring,
        "policy": override.policy or _by_job(source, override, default=default),
    }
    if override.windows is not None:
        said["windows"], said["window_faults"] = window_json.loaded(override.windows)
    return replace(source, **{name: value for name, value in said.items() if value is not None})
