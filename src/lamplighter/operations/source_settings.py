"""What holds for a source, and who said so: itself, one of its tags, its host, a person, the installation?"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from lamplighter.crawl.norms import Norms
from lamplighter.model.crawl import CrawlJob, Override
from lamplighter.model.schedule import PolicyName
from lamplighter.operations import hosts
from lamplighter.operations.hosts import HostOverview
from lamplighter.rules import urls, window_text
from lamplighter.store import host_times, tag_orders
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow
from lamplighter.store.tag_orders import TagOrder

BY_HAND, OWN, INSTALLATION = "set by hand", "this source", "the installation's default"
#: links that a source follows when nobody says how many
_USUAL_DEPTH = 3


class Said(NamedTuple):
    """A value, and who said so."""

    value: Any
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """What holds for a source."""

    policy: Said
    #: between runs before anything was observed
    interval: Said
    #: in words; None when it may be crawled at any time
    windows: Said
    #: those of its host, in words; None when it has none
    host_windows: str | None
    #: least time between two requests
    delay: Said
    depth: Said
    #: pages in one run at most
    pages: Said


async def settings_of(
    db: Connection, source: SourceRow, job: CrawlJob | None, *, norms: Norms, now: datetime
) -> SourceSettings:
    """Everything that bears on how and when a source is crawled."""
    tags = (await tag_orders.many(db, [source.id])).get(source.id, [])
    host = await hosts.overview(db, urls.parse(source.url).host_key, defaults=norms.host, now=now)
    override = (job.override if job is not None else None) or Override()
    times = await host_times.many(db, [job.host_id if job is not None else None])
    stored = next((each.windows for each in times.values()), None)
    return SourceSettings(
        policy=_policy(source, tags, override, norms),
        interval=_interval(source, tags, override, norms, job),
        windows=_windows(source, tags, override),
        host_windows=_described(stored),
        delay=_delay(source, host),
        depth=Said(source.max_depth, OWN if source.max_depth != _USUAL_DEPTH else "the usual"),
        pages=_first(source, tags, "max_pages") or Said(host.policy.max_pages, _by_host(host, "max_pages")),
    )


def _first(source: SourceRow, tags: Sequence[TagOrder], name: str) -> Said | None:
    """What the source says, else the first of its tags that says something."""
    if getattr(source, name) not in (None, []):
        return Said(getattr(source, name), OWN)
    return next(
        (Said(getattr(tag, name), f"tag {tag.tag}") for tag in tags if getattr(tag, name) not in (None, [])), None
    )


def _policy(source: SourceRow, tags: Sequence[TagOrder], override: Override, norms: Norms) -> Said:
    said = _first(source, tags, "policy") or Said(norms.policy, INSTALLATION)
    is_fixed = said.value == PolicyName.FIXED
    if override.adaptive is None or override.adaptive != is_fixed:
        return Said(PolicyName(said.value), said.by)
    return Said(PolicyName.LEARNED if override.adaptive else PolicyName.FIXED, BY_HAND)


def _interval(
    source: SourceRow, tags: Sequence[TagOrder], override: Override, norms: Norms, job: CrawlJob | None
) -> Said:
    if override.interval is not None:
        return Said(override.interval, BY_HAND)
    said = _first(source, tags, "interval_seconds")
    if said is not None:
        return Said(timedelta(seconds=said.value), said.by)
    interval = job.interval if job is not None else norms.interval
    if source.organisation_type is not None:
        return Said(interval, f"its kind of organisation, {source.organisation_type}")
    return Said(interval, INSTALLATION if norms.interval is not None else "its priority, rate and depth")


def _windows(source: SourceRow, tags: Sequence[TagOrder], override: Override) -> Said:
    if override.windows is not None:
        return Said(_described(override.windows), BY_HAND)
    said = _first(source, tags, "windows")
    return Said(_described(said.value), said.by) if said is not None else Said(None, "nobody said otherwise")


def _described(stored: Any) -> str | None:
    windows, _ = window_text.loaded(stored or [])
    return window_text.describe(windows) if windows else None


def _delay(source: SourceRow, host: HostOverview) -> Said:
    """The longest that anybody asks for; of two alike, the one that is nearest to the source."""
    asked = [
        Said(source.min_delay, OWN),
        Said(host.crawl_delay, "Crawl-delay of robots.txt"),
        Said(host.learnt_delay or None, "learnt: the host asked us to slow down"),
        Said(host.policy.min_delay, _by_host(host, "min_delay_ms")),
    ]
    return max((said for said in asked if said.value is not None), key=lambda said: said.value)


def _by_host(host: HostOverview, name: str) -> str:
    return f"the policy of {host.key}" if name in host.own else INSTALLATION
