"""One source in detail: settings and their origin, runs, next run, belief."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from lamplighter.crawl.planning import effective_source
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model import window_json
from lamplighter.model.crawl import CrawlJob, CrawlRun, JobState, Override, RunOutcome
from lamplighter.model.schedule import PolicyName, Window
from lamplighter.model.source import Source, TagOptions
from lamplighter.operations.hosts import hosts
from lamplighter.operations.hosts.hosts import HostOverview
from lamplighter.operations.runs import activity, runs
from lamplighter.operations.runs.runs import RunProgress
from lamplighter.operations.sources.source_words import USUAL_DEPTH
from lamplighter.rules.change import expectation
from lamplighter.rules.hosts.politeness import DelayOrigin
from lamplighter.rules.hosts.waiting import Wait
from lamplighter.rules.schedule import lifecycle, reasons, window_text
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import host_times
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import run_lists
from lamplighter.store.runs.run_lists import RunSummary
from lamplighter.store.sources import tags as stored_tags

DAY = timedelta(days=1)
#: a day of runs every five minutes; of what runs more often, the latest are shown
_MOST_RUNS = 288
_SHOWN_FAILURES = 5
_WAITING = (JobState.PENDING, JobState.SCHEDULED)
_POLICIES = {
    PolicyName.FIXED: "at a fixed interval",
    PolicyName.LEARNED: "at an interval learned from its changes",
    PolicyName.HASH_BACKOFF: "less often while nothing changes",
    PolicyName.YIELD_DAYS: "by the number of records found",
    PolicyName.PRIORITY: "by its priority",
}
BY_HAND, OWN, INSTALLATION = "set by hand", "this source", "the installation's default"


class SettingOrigin(NamedTuple):
    """A value and where it was set."""

    value: Any
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """The settings in force for a source."""

    policy: SettingOrigin
    #: between runs before anything was observed
    interval: SettingOrigin
    #: in words; None when it may be crawled at any time
    windows: SettingOrigin
    #: those of its host, in words; None when it has none
    host_windows: str | None
    #: least time between two requests
    delay: SettingOrigin
    depth: SettingOrigin
    #: pages in one run at most
    pages: SettingOrigin


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDetail:
    """All that one page shows of a source."""

    settings: SourceSettings
    #: None until the source was first enabled
    job: CrawlJob | None
    last_day: RunSummary
    #: the latest first
    runs: Sequence[CrawlRun]
    #: the run that goes on
    progress: RunProgress | None
    #: what that waits for; None while something of it is done
    wait: Wait | None
    #: when it runs next, and why then; None when nothing is planned
    next_run_at: datetime | None
    next_run_why: str
    belief: str

    @property
    def ended(self) -> list[CrawlRun]:
        """Those that have ended and say something of the source, the latest first."""
        return [run for run in self.runs if run.outcome not in (None, RunOutcome.CANCELLED)]

    @property
    def failures(self) -> list[CrawlRun]:
        """The latest that did not go well."""
        return [run for run in self.ended if run.outcome in (RunOutcome.FAIL, RunOutcome.WARN)][:_SHOWN_FAILURES]


async def detail(db: Connection, source: Source, *, source_defaults: SourceDefaults, now: datetime) -> SourceDetail:
    """Everything that is known of a source, in a few looks."""
    job = await crawl_jobs.of_source(db, source.id)
    settings = await settings_of(db, source, job, source_defaults=source_defaults, now=now)
    is_planned = job is not None and _is_planned(job)
    latest = await run_lists.of_job(db, job.id, limit=_MOST_RUNS) if job is not None else []
    going_on = next((run for run in latest if run.finished_at is None), None)
    return SourceDetail(
        settings=settings,
        job=job,
        last_day=await run_lists.summary(db, source_id=source.id, since=now - DAY),
        runs=latest,
        progress=await runs.progress(db, going_on.id) if going_on is not None else None,
        wait=await activity.wait_of_run(db, going_on.id, defaults=source_defaults.host, now=now)
        if going_on is not None
        else None,
        next_run_at=job.next_run_at if job is not None and is_planned else None,
        next_run_why=reasons.sentence(job.next_run_reason) if job is not None and is_planned else _unplanned(job),
        belief=belief_of(job, settings.policy.value, now=now),
    )


def belief_of(job: CrawlJob | None, policy: PolicyName, *, now: datetime) -> str:
    """What the scheduler believes of a source, and what it makes of that, in one sentence."""
    how = _POLICIES[policy]
    if job is None or job.learnt is None or not job.learnt.visit_count:
        return f"No visits were observed yet; it will be visited {how}."
    wait = max(job.next_run_at - now, timedelta(0)) if job.next_run_at is not None else timedelta(0)
    expected = expectation.expectation(job.learnt, wait=wait, now=now)
    low, high = expected["changes_every_range_seconds"]
    # The pace is that of the latest plan, which an interval that was set since has not seen.
    pace = job.interval if policy is PolicyName.FIXED else job.pace or job.interval
    every = reasons.span(pace.total_seconds())
    return (
        f"It changed on {expected['changes']} of {expected['visits']} visits and is estimated to change about every "
        f"{reasons.span(expected['changes_every_seconds'])} (between {reasons.span(low)} and {reasons.span(high)}); "
        f"it is visited {how}, now every {every}, and our copy is expected to be stale "
        f"{expected['staleness']:.0%} of the time."
    )


def _is_planned(job: CrawlJob) -> bool:
    return job.state in _WAITING or job.pause_reason in lifecycle.ENDING_BY_THEMSELVES


def _unplanned(job: CrawlJob | None) -> str:
    if job is None:
        return "nothing is planned: it has no crawl job yet"
    if job.state is JobState.RUNNING:
        return "a run is active; when it ends, the next one is planned from its result"
    if job.resume_at is not None:
        return "as soon as its pause ends"
    return f"nothing is planned: its crawl job is {job.state}"


async def settings_of(
    db: Connection, source: Source, job: CrawlJob | None, *, source_defaults: SourceDefaults, now: datetime
) -> SourceSettings:
    """Everything that bears on how and when a source is crawled."""
    tags = (await stored_tags.settings_of_sources(db, [source.id])).get(source.id, [])
    host = await hosts.overview(db, urls.parse(source.url).host_key, defaults=source_defaults.host, now=now)
    override = (job.override if job is not None else None) or Override()
    times = await host_times.many(db, [job.host_id if job is not None else None])
    stored = next((each.windows for each in times.values()), None)
    return SourceSettings(
        policy=_policy(source, tags, override, source_defaults),
        interval=_interval(source, tags, override, source_defaults, job),
        windows=_windows(source, tags, override),
        host_windows=_described(stored),
        delay=_delay(source, host),
        depth=SettingOrigin(source.max_depth, OWN if source.max_depth != USUAL_DEPTH else "default"),
        pages=_first(source, tags, "max_pages") or SettingOrigin(host.policy.max_pages, _by_host(host, "max_pages")),
    )


def _first(source: Source, tags: Sequence[TagOptions], name: str) -> SettingOrigin | None:
    """What the source says, else the first of its tags that says something."""
    if (own := getattr(source, name)) is not None:
        return SettingOrigin(own, OWN)
    return next(
        (SettingOrigin(said, f"tag {tag.tag}") for tag in tags if (said := getattr(tag, name)) is not None), None
    )


def _policy(
    source: Source, tags: Sequence[TagOptions], override: Override, source_defaults: SourceDefaults
) -> SettingOrigin:
    said = _first(source, tags, "policy") or SettingOrigin(source_defaults.policy, INSTALLATION)
    by_source = source_defaults.policy_of(
        effective_source.effective(source, tags, None, default=source_defaults.policy)
    )
    policy = source_defaults.policy_of(
        effective_source.effective(source, tags, override, default=source_defaults.policy)
    )
    if policy != by_source or override.policy is not None or override.adaptive is False:
        return SettingOrigin(policy, BY_HAND)
    return said if policy == said.value else SettingOrigin(policy, "the interval that is set")


def _interval(
    source: Source,
    tags: Sequence[TagOptions],
    override: Override,
    source_defaults: SourceDefaults,
    job: CrawlJob | None,
) -> SettingOrigin:
    if override.interval is not None:
        return SettingOrigin(override.interval, BY_HAND)
    said = _first(source, tags, "interval")
    if said is not None:
        return said
    interval = job.interval if job is not None else source_defaults.interval
    if source.organisation_type is not None:
        return SettingOrigin(interval, f"its organisation type, {source.organisation_type}")
    return SettingOrigin(
        interval, INSTALLATION if source_defaults.interval is not None else "its priority, rate and depth"
    )


def _windows(source: Source, tags: Sequence[TagOptions], override: Override) -> SettingOrigin:
    if override.windows is not None:
        return SettingOrigin(_described(override.windows), BY_HAND)
    if source.has_windows:
        return SettingOrigin(_words(source.windows), OWN)
    of_tags = (SettingOrigin(_words(tag.windows), f"tag {tag.tag}") for tag in tags if tag.has_windows)
    return next(of_tags, SettingOrigin(None, "default"))


def _described(stored: Any) -> str | None:
    windows, _ = window_json.loaded(stored or [])
    return _words(windows)


def _words(windows: Sequence[Window]) -> str | None:
    return window_text.describe(windows) if windows else None


def _delay(source: Source, host: HostOverview) -> SettingOrigin:
    """The longest delay that is set; of two alike, the one nearest to the source."""
    delays = [
        SettingOrigin(source.min_delay, OWN),
        SettingOrigin(host.crawl_delay, hosts.DELAY_WORDS[DelayOrigin.ROBOTS]),
        SettingOrigin(host.learnt_delay or None, hosts.DELAY_WORDS[DelayOrigin.LEARNT]),
        SettingOrigin(host.policy.min_delay, _by_host(host, "min_delay_ms")),
    ]
    return max((said for said in delays if said.value is not None), key=lambda said: said.value)


def _by_host(host: HostOverview, name: str) -> str:
    return f"the policy of {host.key}" if name in host.own else INSTALLATION
