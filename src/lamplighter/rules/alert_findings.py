"""For which sources, hosts or things of the installation does each rule hold now, and in which words is that said?"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.alert import Finding, Seen
from lamplighter.model.fleet import Duty, Instance
from lamplighter.model.watch_figures import (
    DEFAULT_POOL,
    BrokenHost,
    BrokenSource,
    DeadLetters,
    HostExits,
    LostRobots,
    SilentSource,
    WatchFigures,
)
from lamplighter.rules import fleet
from lamplighter.rules.alerts import (
    EVENT_SPAN,
    LEAST_EXIT_REQUESTS,
    LEAST_EXITS,
    LEAST_RUNS,
    LEAST_SUCCESS,
    MOST_EVENT_ERRORS,
    MOST_EXIT_FAILURES,
    MOST_FAILED_JOBS,
    MOST_LAG,
)

#: rows of a list that are looked at; where there are more, the findings are not whole
MOST_ROWS = 1000
#: figure of an instance that is 1 while its disk is nearly full
DISK_LOW, DISK_FREE_MB = "disk_low", "disk_free_mb"
_WORK = {Duty.SCHEDULE: "opens runs", Duty.FETCH: "asks sites for pages", Duty.PARSE: "reads what was fetched"}


def look(figures: WatchFigures, *, now: datetime) -> dict[str, Seen]:
    """Rule -> what was found. Silence is not judged while all crawling is paused: nothing is expected then."""
    seen = {
        "HighConsumerLag": _lag(figures.events_waiting),
        "HighEventProcessingErrors": _event_errors(figures.event_errors),
        "JobFailureSpike": _failed_jobs(figures.jobs_failed),
        "LowCrawlSuccessRate": _success_rate(figures.runs_ended, figures.runs_failed),
        "DomainShortOfProxies": _of_rows(
            _host(each.host, each.working, _exits(each)) for each in figures.exits if each.working < LEAST_EXITS
        ),
        "DomainProxyFailures": _exit_failures(figures.exit_requests, is_whole=figures.exits_were_watched),
        "RobotsUnreachable": _of_rows(map(_robots, figures.lost_robots)),
        "SourceDrifting": _of_rows(
            _source(each, 1, f"{each.name}: the run of {_time(each.last_run_at)} showed far less than usual")
            for each in figures.drifting
        ),
        "BreakerOpen": _breakers(figures.broken_hosts, figures.broken_sources),
        "DiskLow": _disks(figures.instances, now=now),
        "DeadLetters": _dead_letters(figures.dead_letters),
        "NobodyOnDuty": _duties(figures.instances, now=now),
    }
    if figures.standstill is not None:
        return seen | {"CrawlingPaused": _whole(1, figures.standstill.sentence)}
    return seen | {"CrawlingPaused": _whole(0), "SourceSilent": _of_rows(map(_silent, figures.silent))}


def _lag(waiting: int) -> Seen:
    return _whole(waiting, f"{waiting:,} events wait to be settled" if waiting > MOST_LAG else None)


def _event_errors(errors: int) -> Seen:
    rate = errors / EVENT_SPAN.total_seconds()
    words = f"{errors:,} events of the last 5 minutes could not be settled, {rate:.2f} per second"
    return _whole(rate, words if rate > MOST_EVENT_ERRORS else None)


def _failed_jobs(failed: int) -> Seen:
    words = f"{failed:,} crawl jobs failed within the last hour that had not failed before"
    return _whole(failed, words if failed > MOST_FAILED_JOBS else None)


def _success_rate(ended: int, failed: int) -> Seen:
    if not ended:
        return Seen()
    rate = 1 - failed / ended
    words = f"{failed:,} of the {ended:,} runs of the last hour failed: {rate:.0%} succeeded"
    return _whole(rate, words if rate < LEAST_SUCCESS and ended >= LEAST_RUNS else None)


def _exits(exits: HostExits) -> str:
    if not exits.known:
        return f"{exits.host} is to be asked through proxies, and has none"
    verb = "works" if exits.working == 1 else "work"
    return f"{exits.host}: {exits.working or 'none'} of its {exits.known} proxies {verb}"


def _exit_failures(requests: Mapping[str, tuple[int, int]], *, is_whole: bool) -> Seen:
    found = [
        _host(host, failed / asked, f"{host}: {failed:,} of {asked:,} requests through its proxies failed")
        for host, (asked, failed) in sorted(requests.items())
        if asked >= LEAST_EXIT_REQUESTS and failed > MOST_EXIT_FAILURES * asked
    ]
    return Seen(findings=tuple(found), value=float(len(found)), is_whole=is_whole)


def _robots(lost: LostRobots) -> Finding:
    why = f": {lost.detail}" if lost.detail else ""
    words = f"{lost.origin}/robots.txt could not be had at {_time(lost.fetched_at)}{why}; {_sources(lost.sources)}"
    return _host(lost.host, lost.sources, words)


def _breakers(broken_hosts: Sequence[BrokenHost], broken_sources: Sequence[BrokenSource]) -> Seen:
    """Hosts whose breaker is open, which stands for the sources on them, and sources on others."""
    hosts = (
        _host(host.key, host.failures, f"{host.key} is left alone: {host.reason}; {_sources(host.sources)}")
        for host in broken_hosts
    )
    sources = (
        _source(each, each.failures, f"{each.name} was paused after {each.failures} failed rounds{_until(each)}")
        for each in broken_sources
    )
    return _of_rows([*hosts, *sources])


def _until(source: BrokenSource) -> str:
    return f"; it is tried again at {_time(source.resume_at)}" if source.resume_at is not None else ""


def _disks(instances: Iterable[Instance], *, now: datetime) -> Seen:
    """One finding for each machine, however many processes share its disk."""
    low = {
        each.machine: int(each.figures.get(DISK_FREE_MB, 0))
        for each in instances
        if each.figures.get(DISK_LOW) and not fleet.is_lost(each, now=now)
    }
    return _of_rows(
        Finding(subject=f"machine:{machine}", value=float(free), detail=f"{machine} has {free:,} MB of its disk left")
        for machine, free in sorted(low.items())
    )


def _dead_letters(dead: DeadLetters) -> Seen:
    counts = {
        "events": (dead.events, "event{} could not be settled"),
        "queue": (dead.queue or 0, "message{} between processes could not be acted on"),
        "index": (dead.index, "record{} could not be indexed: the search server refused again and again"),
        "notifications": (dead.notifications, "notification{} could not be delivered"),
    }
    found = [
        Finding(subject=f"letters:{where}", value=float(count), detail=f"{count:,} {words.format('s' * (count != 1))}")
        for where, (count, words) in counts.items()
        if count
    ]
    value = sum(finding.value for finding in found)
    return Seen(findings=tuple(found), value=value, is_whole=dead.events_are_known)


def _duties(instances: Sequence[Instance], *, now: datetime) -> Seen:
    return _of_rows(
        Finding(subject=f"duty:{duty}", value=1.0, detail=f"no process {work}")
        for duty, work in _WORK.items()
        if not any(duty in each.duties and not fleet.is_lost(each, now=now) for each in instances)
    )


def _silent(source: SilentSource) -> Finding:
    if source.last_success_at is None:
        since = f"has never had a successful run; its first was due {_time(source.expected_at)}"
    else:
        since = f"has had no successful run since {_time(source.last_success_at)}"
    return _source(source, 1, f"{source.name} {since}, and should have one every {_lasting(source.pace)}")


def _whole(value: float, words: str | None = None) -> Seen:
    """What concerns the whole installation: it holds when there is something to say."""
    findings = (Finding(subject="", value=round(float(value), 4), detail=words),) if words else ()
    return Seen(findings=findings, value=float(value))


def _of_rows(findings: Iterable[Finding]) -> Seen:
    rows = list(findings)
    # Two rows may be about one subject, as two origins are of one host: the first is told.
    found = {finding.subject: finding for finding in reversed(rows)}
    told = tuple(found[subject] for subject in dict.fromkeys(finding.subject for finding in rows))
    return Seen(findings=told, value=float(len(told)), is_whole=len(rows) < MOST_ROWS)


def _source(source: Any, value: float, words: str) -> Finding:
    return Finding(subject=f"source:{source.public_id}", value=float(value), detail=words)


def _host(key: str, value: float, words: str) -> Finding:
    subject = "pool:default pool" if key == DEFAULT_POOL else f"host:{key}"
    return Finding(subject=subject, value=round(float(value), 4), detail=words)


def _sources(count: int) -> str:
    return "one source starts there" if count == 1 else f"{count:,} sources start there"


def _time(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _lasting(span: timedelta) -> str:
    hours, minutes = span / timedelta(hours=1), span / timedelta(minutes=1)
    if hours >= 48:
        return f"{hours / 24:.3g} days"
    return f"{hours:.3g} h" if hours >= 1 else f"{minutes:.3g} min"
