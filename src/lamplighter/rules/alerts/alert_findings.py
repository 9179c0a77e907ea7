"""Which sources, hosts or parts of the installation match each alert rule now, with the sentence that says so."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.alert import AlertFinding, RuleCheck
from lamplighter.model.alert_figures import (
    DEFAULT_POOL,
    AlertFigures,
    BrokenHost,
    BrokenSource,
    DeadLetters,
    HostProxies,
    LostRobots,
    SilentSource,
)
from lamplighter.model.fleet import Duty, Instance, Server
from lamplighter.rules.alerts.alerts import (
    EVENT_SPAN,
    LEAST_PROXIES,
    LEAST_PROXY_REQUESTS,
    LEAST_RUNS,
    LEAST_SUCCESS,
    MOST_EVENT_ERRORS,
    MOST_FAILED_JOBS,
    MOST_LAG,
    MOST_PROXY_FAILURES,
)
from lamplighter.rules.fleet import fleet
from lamplighter.rules.formats.plural import counted

#: rows of a list that are read; where there are more, the findings are incomplete
MOST_ROWS = 1000
#: figure of an instance that is 1 while its disk is nearly full
DISK_LOW, DISK_FREE_MB = "disk_low", "disk_free_mb"
#: what a server is called, and what its absence means
SERVERS = {
    Server.REDIS: ("Redis", "events wait in the database, and the mirror is out of date"),
    Server.RABBITMQ: ("RabbitMQ", "workers look for work in the database every few seconds"),
    Server.ARCHIVE: ("the archive on S3", "fetched pages cannot be stored, so nothing is fetched"),
    Server.SEARCH: ("the search server", "the database answers searches, and new records wait to be indexed"),
}
_WORK = {Duty.SCHEDULE: "schedules runs", Duty.FETCH: "fetches pages", Duty.PARSE: "parses fetched pages"}


def look(figures: AlertFigures, *, now: datetime) -> dict[str, RuleCheck]:
    """Maps each rule to its findings. While all crawling is paused no source counts as silent."""
    seen = {
        "HighConsumerLag": _lag(figures.events_waiting),
        "HighEventProcessingErrors": _event_errors(figures.event_errors),
        "JobFailureSpike": _failed_jobs(figures.jobs_failed),
        "LowCrawlSuccessRate": _success_rate(figures.runs_ended, figures.runs_failed),
        "DomainShortOfProxies": _of_rows(
            _host(each.host, each.working, _too_few_proxies(each))
            for each in figures.proxies
            if each.working < LEAST_PROXIES
        ),
        "DomainProxyFailures": _proxy_failures(figures.proxy_requests, is_whole=figures.proxies_were_watched),
        "RobotsUnreachable": _of_rows(map(_robots, figures.lost_robots)),
        "SourceDrifting": _of_rows(
            _source(each, 1, f"{each.name}: the run of {_time(each.last_run_at)} found far fewer records than usual")
            for each in figures.drifting
        ),
        "BreakerOpen": _breakers(figures.broken_hosts, figures.broken_sources),
        "DiskLow": _disks(figures.instances, now=now),
        "ServerAway": _servers(figures.instances, now=now),
        "DeadLetters": _dead_letters(figures.dead_letters),
        "NobodyOnDuty": _duties(figures.instances, now=now),
    }
    if figures.crawl_pause is not None:
        return seen | {"CrawlingPaused": _whole(1, figures.crawl_pause.sentence)}
    return seen | {"CrawlingPaused": _whole(0), "SourceSilent": _of_rows(map(_silent, figures.silent))}


def _lag(waiting: int) -> RuleCheck:
    return _whole(waiting, f"{waiting:,} events wait to be processed" if waiting > MOST_LAG else None)


def _event_errors(errors: int) -> RuleCheck:
    rate = errors / EVENT_SPAN.total_seconds()
    words = f"{errors:,} events of the last 5 minutes could not be processed, {rate:.2f} per second"
    return _whole(rate, words if rate > MOST_EVENT_ERRORS else None)


def _failed_jobs(failed: int) -> RuleCheck:
    words = f"{failed:,} crawl jobs started to fail within the last hour"
    return _whole(failed, words if failed > MOST_FAILED_JOBS else None)


def _success_rate(ended: int, failed: int) -> RuleCheck:
    if not ended:
        return RuleCheck()
    rate = 1 - failed / ended
    words = f"{failed:,} of the {ended:,} runs of the last hour failed: {rate:.0%} succeeded"
    return _whole(rate, words if rate < LEAST_SUCCESS and ended >= LEAST_RUNS else None)


def _too_few_proxies(proxies: HostProxies) -> str:
    if not proxies.known:
        return f"{proxies.host} must be fetched through proxies but has none"
    verb = "works" if proxies.working == 1 else "work"
    return f"{proxies.host}: {proxies.working or 'none'} of its {proxies.known} proxies {verb}"


def _proxy_failures(requests: Mapping[str, tuple[int, int]], *, is_whole: bool) -> RuleCheck:
    found = [
        _host(host, failed / sent, f"{host}: {failed:,} of {sent:,} requests through its proxies failed")
        for host, (sent, failed) in sorted(requests.items())
        if sent >= LEAST_PROXY_REQUESTS and failed > MOST_PROXY_FAILURES * sent
    ]
    return RuleCheck(findings=tuple(found), value=float(len(found)), is_whole=is_whole)


def _robots(lost: LostRobots) -> AlertFinding:
    why = f": {lost.detail}" if lost.detail else ""
    when = _time(lost.fetched_at)
    words = f"{lost.origin}/robots.txt could not be fetched at {when}{why}; {_sources(lost.sources)}"
    return _host(lost.host, lost.sources, words)


def _breakers(broken_hosts: Sequence[BrokenHost], broken_sources: Sequence[BrokenSource]) -> RuleCheck:
    """Hosts whose breaker is open, each reported in place of its sources, and broken sources on other hosts."""
    hosts = (
        _host(host.key, host.failures, f"{host.key} is not fetched for now: {host.reason}; {_sources(host.sources)}")
        for host in broken_hosts
    )
    sources = (_source(each, each.failures, _broken(each)) for each in broken_sources)
    return _of_rows([*hosts, *sources])


def _broken(source: BrokenSource) -> str:
    again = f"; the next try is at {_time(source.resume_at)}" if source.resume_at is not None else ""
    return f"{source.name} was paused after {counted(source.failures, 'failed round')}{again}"


def _disks(instances: Iterable[Instance], *, now: datetime) -> RuleCheck:
    """One finding for each machine, however many processes share its disk."""
    low = {
        each.machine: int(each.figures.get(DISK_FREE_MB, 0))
        for each in instances
        if each.figures.get(DISK_LOW) and not fleet.is_lost(each, now=now)
    }
    return _of_rows(
        AlertFinding(
            subject=f"machine:{machine}", value=float(free), detail=f"{machine} has {free:,} MB of its disk left"
        )
        for machine, free in sorted(low.items())
    )


def _servers(instances: Sequence[Instance], *, now: datetime) -> RuleCheck:
    """One finding for each server that some living process does not reach."""
    alive = [each for each in instances if not fleet.is_lost(each, now=now)]
    return _of_rows(
        AlertFinding(
            subject=f"server:{server}",
            value=float(len(lacking)),
            detail=f"{name} does not answer {counted(len(lacking), 'process')} "
            f"({', '.join(sorted({each.machine for each in lacking}))}): {meaning}",
        )
        for server, (name, meaning) in SERVERS.items()
        if (lacking := [each for each in alive if each.figures.get(server.figure)])
    )


def _dead_letters(dead: DeadLetters) -> RuleCheck:
    counts = {
        "events": (dead.events, "event{} could not be processed"),
        "queue": (dead.queue or 0, "queue message{} could not be processed"),
        "index": (dead.index, "record{} could not be indexed: the search server refused every try"),
        "notifications": (dead.notifications, "notification{} could not be delivered"),
    }
    found = [
        AlertFinding(
            subject=f"letters:{where}", value=float(count), detail=f"{count:,} {words.format('s' * (count != 1))}"
        )
        for where, (count, words) in counts.items()
        if count
    ]
    value = sum(finding.value for finding in found)
    return RuleCheck(findings=tuple(found), value=value, is_whole=dead.events_are_known)


def _duties(instances: Sequence[Instance], *, now: datetime) -> RuleCheck:
    return _of_rows(
        AlertFinding(subject=f"duty:{duty}", value=1.0, detail=f"no process {work}")
        for duty, work in _WORK.items()
        if not any(duty in each.duties and not fleet.is_lost(each, now=now) for each in instances)
    )


def _silent(source: SilentSource) -> AlertFinding:
    if source.last_success_at is None:
        since = f"never had a successful run; its first run was due {_time(source.expected_at)}"
    else:
        since = f"has had no successful run since {_time(source.last_success_at)}"
    return _source(source, 1, f"{source.name} {since}, but should have one every {_duration(source.pace)}")


def _whole(value: float, words: str | None = None) -> RuleCheck:
    """A finding about the whole installation; there is one only if `words` are given."""
    findings = (AlertFinding(subject="", value=round(float(value), 4), detail=words),) if words else ()
    return RuleCheck(findings=findings, value=float(value))


def _of_rows(findings: Iterable[AlertFinding]) -> RuleCheck:
    rows = list(findings)
    # Two rows may be about one subject, as two origins are of one host: the first row is reported.
    found = {finding.subject: finding for finding in reversed(rows)}
    findings = tuple(found[subject] for subject in dict.fromkeys(finding.subject for finding in rows))
    return RuleCheck(findings=findings, value=float(len(findings)), is_whole=len(rows) < MOST_ROWS)


def _source(source: Any, value: float, words: str) -> AlertFinding:
    return AlertFinding(subject=f"source:{source.public_id}", value=float(value), detail=words)


def _host(key: str, value: float, words: str) -> AlertFinding:
    subject = "pool:default pool" if key == DEFAULT_POOL else f"host:{key}"
    return AlertFinding(subject=subject, value=round(float(value), 4), detail=words)


def _sources(count: int) -> str:
    return f"{counted(count, 'source')} {'starts' if count == 1 else 'start'} there"


def _time(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _duration(span: timedelta) -> str:
    hours, minutes = span / timedelta(hours=1), span / timedelta(minutes=1)
    if hours >= 48:
        return f"{hours / 24:.3g} days"
    return f"{hours:.3g} h" if hours >= 1 else f"{minutes:.3g} min"
