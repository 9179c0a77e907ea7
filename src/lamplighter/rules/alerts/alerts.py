"""The alert rules, each declared once.

The service evaluates them itself (`alert_findings`, `alert_life`), the dashboard explains them, and
`deploy/prometheus/alerts.yml` is generated from them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from lamplighter.model.alert import Severity

_MINUTE, _HOUR = timedelta(minutes=1), timedelta(hours=1)

# ── thresholds ───────────────────────────────────────────────────────────────────────────────────────────────────────
#: most events that may wait
MOST_LAG = 100
#: most events that may end in an error, per second, over the span
MOST_EVENT_ERRORS, EVENT_SPAN = 0.1, 5 * _MINUTE
#: most jobs that may fail for good within the span
MOST_FAILED_JOBS, FAILURE_SPAN = 10, _HOUR
#: least share of runs that must succeed, over the span; fewer runs than the third number are not judged
LEAST_SUCCESS, SUCCESS_SPAN, LEAST_RUNS = 0.9, _HOUR, 10
#: least number of working proxies of a host
LEAST_PROXIES = 3
#: most requests through a host's proxies that may fail, as a share, over the span; fewer requests are not judged
MOST_PROXY_FAILURES, PROXY_SPAN, LEAST_PROXY_REQUESTS = 0.1, _HOUR, 20
#: a source is silent when none of its runs succeeded within this many of its intervals
SILENT_INTERVALS = 3
#: subjects of one rule that are reported one by one; more of them are reported as one alert
MOST_SUBJECTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRule:
    """An alert rule: its condition, how long it must hold, how much it matters, and what to do about it."""

    name: str
    severity: Severity
    #: what is wrong, in a few words
    title: str
    #: when it holds, with the threshold
    condition: str
    #: why it matters
    matters: str
    #: what to do
    remedy: str
    #: how long it must hold before it fires
    hold: timedelta
    #: how long it must not hold before it clears
    quiet: timedelta = _MINUTE
    #: in PromQL: true while the condition holds; by default it reads what the service itself found
    expression: str = ""
    #: False when only an observer outside the service can see it
    is_seen_inside: bool = True

    @property
    def promql(self) -> str:
        """The condition in PromQL; of several processes the highest value counts."""
        return self.expression or f'max(crawler_findings{{rule="{self.name}"}}) > 0'


RULES = (
    AlertRule(
        name="HighConsumerLag",
        severity=Severity.WARNING,
        title="Events pile up",
        condition=f"more than {MOST_LAG} events wait to be processed",
        matters="Until they are processed, new sources are not crawled and changed ones keep their old settings.",
        remedy="Look under Events for the oldest waiting event, and at the log of the process that consumes events. If "
        "events come through a stream, check that Redis answers. A second process shares the work.",
        hold=5 * _MINUTE,
        quiet=5 * _MINUTE,
        expression=f"max(crawler_consumer_lag_messages) > {MOST_LAG}",
    ),
    AlertRule(
        name="HighEventProcessingErrors",
        severity=Severity.CRITICAL,
        title="Events fail",
        condition=f"more than {MOST_EVENT_ERRORS:g} events per second end in an error, over 5 minutes",
        matters="The changes that these events carry are not made: sources stay as they were.",
        remedy="Open Events and filter by error: the detail says why. Fix the cause, then retry the dead letters.",
        hold=5 * _MINUTE,
        quiet=5 * _MINUTE,
        expression=f'sum(rate(crawler_events_processed_total{{result="error"}}[5m])) > {MOST_EVENT_ERRORS:g}',
    ),
    AlertRule(
        name="JobFailureSpike",
        severity=Severity.WARNING,
        title="Many jobs began to fail",
        condition=f"more than {MOST_FAILED_JOBS} crawl jobs newly failed within an hour",
        matters="So many failures at once usually have one cause: the network, a proxy, a disk, or a deployment.",
        remedy="Compare the reasons under Sources, status failing. Check the network and DNS, and whether anything was "
        "deployed within the hour.",
        hold=timedelta(0),
        quiet=5 * _MINUTE,
        expression=f'max(delta(crawler_jobs_by_status{{status="failed"}}[1h])) > {MOST_FAILED_JOBS} '
        'or max(crawler_findings{rule="JobFailureSpike"}) > 0',
    ),
    AlertRule(
        name="LowCrawlSuccessRate",
        severity=Severity.WARNING,
        title="Too many runs fail",
        condition=f"less than {LEAST_SUCCESS:.0%} of the runs of the last hour succeeded, of at least {LEAST_RUNS}",
        matters="Fewer sources than planned are up to date.",
        remedy="The start page lists the failing sources with reasons. Disable a source that is gone for good.",
        hold=15 * _MINUTE,
        quiet=5 * _MINUTE,
        # By the share that failed: where nothing succeeded there would be no series to divide. Not by source: a counter
        # that first appears with a run, as those do after a restart, shows no increase for it.
        expression='sum(rate(crawler_runs_total{status="failure"}[1h])) / '
        'sum(rate(crawler_runs_total{status!="cancelled"}[1h])) > '
        f"{1 - LEAST_SUCCESS:g} and "
        f'sum(increase(crawler_runs_total{{status!="cancelled"}}[1h])) >= {LEAST_RUNS} '
        'or max(crawler_findings{rule="LowCrawlSuccessRate"}) > 0',
    ),
    AlertRule(
        name="DomainShortOfProxies",
        severity=Severity.WARNING,
        title="A host is short of proxies",
        condition=f"fewer than {LEAST_PROXIES} proxies work for a host that is fetched through proxies",
        matters="With no working proxy its pages are not fetched at all, unless its policy allows direct requests.",
        remedy="See under Proxies which are backing off or off, and why. Repair or replace them, or assign more.",
        hold=5 * _MINUTE,
        quiet=5 * _MINUTE,
    ),
    AlertRule(
        name="DomainProxyFailures",
        severity=Severity.WARNING,
        title="Proxies of a host fail",
        condition=f"more than {MOST_PROXY_FAILURES:.0%} of the requests through a host's proxies failed within the "
        f"hour, of at least {LEAST_PROXY_REQUESTS}",
        matters="Every failed request is retried, so its sources take longer and the pool shrinks.",
        remedy="Test the pool with this host under Proxies: the table shows which proxy fails and how.",
        hold=5 * _MINUTE,
        quiet=5 * _MINUTE,
    ),
    AlertRule(
        name="RobotsUnreachable",
        severity=Severity.WARNING,
        title="A robots.txt cannot be fetched",
        condition="the robots.txt of a host with sources could not be fetched",
        matters="Without robots.txt we do not know what may be fetched, so no page of the host is fetched.",
        remedy="Open the robots.txt in a browser. The service retries it at least every hour while a source on the "
        "host is due; “lamplighter robots” retries at once.",
        hold=15 * _MINUTE,
        quiet=_MINUTE,
    ),
    AlertRule(
        name="SourceDrifting",
        severity=Severity.WARNING,
        title="An extractor may be broken",
        condition="the latest run of a source showed far fewer records than usual, or many without a title",
        matters="The site was probably rebuilt. New records are missed from now on, and known ones look gone.",
        remedy="Open the source, compare the latest versions of its page, and try a new recipe.",
        hold=timedelta(0),
    ),
    AlertRule(
        name="BreakerOpen",
        severity=Severity.WARNING,
        title="A breaker is open",
        condition="a source or a host was paused after several failures in a row",
        matters="Nothing of it is fetched except an occasional probe.",
        remedy="The detail names the latest failure. When the site answers again, the breaker closes by itself; “run "
        "now” on the source tries at once.",
        hold=5 * _MINUTE,
    ),
    AlertRule(
        name="DiskLow",
        severity=Severity.CRITICAL,
        title="The disk is nearly full",
        condition="a process has less room on its disk than LAMPLIGHTER_LEAST_FREE_MB",
        matters="That process has stopped fetching, so that no write meets a full disk.",
        remedy="Free space or enlarge the disk; keep less in the archive. Fetching then resumes by itself.",
        hold=timedelta(0),
    ),
    AlertRule(
        name="ServerAway",
        severity=Severity.CRITICAL,
        title="A server does not answer",
        condition="Redis, RabbitMQ, the archive on S3 or the search server does not answer a process",
        matters="Crawling goes on as far as it can: the detail says what waits, and what is out of date.",
        remedy="Start the server, or repair the network between it and the process; the settings name its address. The "
        "service tries it again every few seconds, and catches up by itself.",
        hold=_MINUTE,
    ),
    AlertRule(
        name="DeadLetters",
        severity=Severity.WARNING,
        title="There are dead letters",
        condition="an event, a queue message, a record for the search server or a notification failed for good",
        matters="Its effect has not happened, and will not happen by itself.",
        remedy="Read the reason (under Events, dead letters; Notifications; or Settings, search), fix the cause, then "
        "retry or discard it.",
        hold=timedelta(0),
    ),
    AlertRule(
        name="SourceSilent",
        severity=Severity.WARNING,
        title="A source is silent",
        condition=f"no run of a source succeeded within {SILENT_INTERVALS} of its intervals, and it is not paused",
        matters="No new records come from this source.",
        remedy="Open the source: its latest runs say why they fail. If no run was opened, check under Crawl that a "
        "process schedules and that the limit of parallel runs is not reached.",
        hold=15 * _MINUTE,
    ),
    AlertRule(
        name="CrawlingPaused",
        severity=Severity.INFO,
        title="All crawling is paused",
        condition="an operator paused all crawling",
        matters="No source is kept up to date, and no source counts as silent meanwhile.",
        remedy="Resume crawling under Crawl when the reason for the pause is over.",
        hold=10 * _MINUTE,
    ),
    AlertRule(
        name="NobodyOnDuty",
        severity=Severity.CRITICAL,
        title="A duty has no process",
        condition="no living process schedules, fetches or parses",
        matters="Work stops at the step whose process is missing.",
        remedy="See under Crawl, processes, which are lost; start a process with this duty (LAMPLIGHTER_DUTIES).",
        hold=5 * _MINUTE,
    ),
    AlertRule(
        name="NoInstances",
        severity=Severity.CRITICAL,
        title="The service does not answer",
        condition="no process answers Prometheus",
        matters="Nothing is crawled, and the service cannot say so itself.",
        remedy="Start the service, or find out why Prometheus cannot reach it.",
        hold=5 * _MINUTE,
        expression="absent(crawler_instances)",
        is_seen_inside=False,
    ),
)
BY_NAME: Mapping[str, AlertRule] = {rule.name: rule for rule in RULES}
