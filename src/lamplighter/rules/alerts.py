"""What is worth an alert: every rule, declared once.

The service judges them by itself (`alert_findings`, `alert_life`), the dashboard explains them, and
`deploy/prometheus/alerts.yml` is written from them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from lamplighter.model.alert import Severity

_MINUTE, _HOUR = timedelta(minutes=1), timedelta(hours=1)

# ── thresholds ───────────────────────────────────────────────────────────────────────────────────────────────────────
#: events that wait
MOST_LAG = 100
#: events that cannot be settled, per second, over the span
MOST_EVENT_ERRORS, EVENT_SPAN = 0.1, 5 * _MINUTE
#: jobs that fail for good within the span
MOST_FAILED_JOBS, FAILURE_SPAN = 10, _HOUR
#: share of runs that do not fail, over the span; with fewer runs it says nothing
LEAST_SUCCESS, SUCCESS_SPAN, LEAST_RUNS = 0.9, _HOUR, 10
#: proxies of a host that work
LEAST_EXITS = 3
#: share of requests through a host's proxies that fail, over the span; with fewer requests it says nothing
MOST_EXIT_FAILURES, EXIT_SPAN, LEAST_EXIT_REQUESTS = 0.1, _HOUR, 20
#: a source is silent when no run of it succeeds within so many of its intervals
SILENT_INTERVALS = 3
#: subjects of one rule that are told one by one; more of them are told as one
MOST_SUBJECTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What must hold for how long, how much it matters, and what to do about it."""

    name: str
    severity: Severity
    #: what is wrong, in a few words
    title: str
    #: when it holds, with its threshold
    condition: str
    #: why it matters
    matters: str
    #: what to do
    remedy: str
    #: how long it must hold before it fires
    hold: timedelta
    #: how long it must not hold before it clears
    quiet: timedelta = _MINUTE
    #: in PromQL: true while the condition holds; by default what the service itself has found
    expression: str = ""
    #: False when only an observer outside can see it
    is_seen_inside: bool = True

    @property
    def promql(self) -> str:
        """The condition as Prometheus judges it; of several processes the one that sees most is believed."""
        return self.expression or f'max(crawler_findings{{rule="{self.name}"}}) > 0'


RULES = (
    Rule(
        name="HighConsumerLag",
        severity=Severity.WARNING,
        title="Events pile up",
        condition=f"more than {MOST_LAG} events wait to be settled",
        matters="Sources that were added or changed are not crawled as they should be until their events are settled.",
        remedy="Look at Events for the oldest that waits, and at the log of the process that settles them. With a "
        "stream, see whether Redis answers; another process shares the work.",
        hold=5 * _MINUTE,
        quiet=5 * _MINUTE,
        expression=f"max(crawler_consumer_lag_messages) > {MOST_LAG}",
    ),
    Rule(
        name="HighEventProcessingErrors",
        severity=Severity.CRITICAL,
        title="Events cannot be settled",
        condition=f"more than {MOST_EVENT_ERRORS:g} events per second end in an error, over 5 minutes",
        matters="What these events ask for is not done: sources stay as they were.",
        remedy="Open Events, narrowed to errors: the detail says why. Mend the cause, then retry the dead letters.",
        hold=5 * _MINUTE,
        quiet=5 * _MINUTE,
        expression=f'sum(rate(crawler_events_processed_total{{result="error"}}[5m])) > {MOST_EVENT_ERRORS:g}',
    ),
    Rule(
        name="JobFailureSpike",
        severity=Severity.WARNING,
        title="Many jobs began to fail",
        condition=f"more than {MOST_FAILED_JOBS} crawl jobs newly failed within an hour",
        matters="So many at once rarely have so many causes: the network, a proxy, a disk, or our own last change.",
        remedy="Compare the reasons under Sources, status failing. Is the network up, does DNS answer, was anything "
        "deployed within the hour?",
        hold=timedelta(0),
        quiet=5 * _MINUTE,
        expression=f'max(delta(crawler_jobs_by_status{{status="failed"}}[1h])) > {MOST_FAILED_JOBS} '
        'or max(crawler_findings{rule="JobFailureSpike"}) > 0',
    ),
    Rule(
        name="LowCrawlSuccessRate",
        severity=Severity.WARNING,
        title="Too many runs fail",
        condition=f"less than {LEAST_SUCCESS:.0%} of the runs of the last hour succeeded, of at least {LEAST_RUNS}",
        matters="Fewer sources than planned are up to date.",
        remedy="See on the start page which sources fail and why; a source that is gone for good is better disabled.",
        hold=15 * _MINUTE,
        quiet=5 * _MINUTE,
        # Counted by what failed: where nothing succeeded at all, there would be nothing to divide. Not by source: what
        # begins with its first run, as those counters do after a restart, has not increased by it.
        expression='sum(rate(crawler_runs_total{status="failure"}[1h])) / '
        'sum(rate(crawler_runs_total{status!="cancelled"}[1h])) > '
        f"{1 - LEAST_SUCCESS:g} and "
        f'sum(increase(crawler_runs_total{{status!="cancelled"}}[1h])) >= {LEAST_RUNS} '
        'or max(crawler_findings{rule="LowCrawlSuccessRate"}) > 0',
    ),
    Rule(
        name="DomainShortOfProxies",
        severity=Severity.WARNING,
        title="A host is short of proxies",
        condition=f"fewer than {LEAST_EXITS} proxies of a host that is asked through proxies work",
        matters="With none left its pages are not asked for at all, unless its policy allows to ask directly.",
        remedy="See under Proxies which of them rest or are off and why; mend or replace them, or assign further ones.",
        hold=5 * _MINUTE,
        quiet=5 * _MINUTE,
    ),
    Rule(
        name="DomainProxyFailures",
        severity=Severity.WARNING,
        title="Proxies of a host fail",
        condition=f"more than {MOST_EXIT_FAILURES:.0%} of the requests through a host's proxies failed within the "
        f"hour, of at least {LEAST_EXIT_REQUESTS}",
        matters="Every failed request is asked again, so its sources take longer and the pool shrinks.",
        remedy="Test the pool with this host under Proxies: the matrix shows which proxy fails and how.",
        hold=5 * _MINUTE,
        quiet=5 * _MINUTE,
    ),
    Rule(
        name="RobotsUnreachable",
        severity=Severity.WARNING,
        title="A robots.txt cannot be had",
        condition="the robots.txt of a host with sources could not be fetched",
        matters="What may be asked is not known, so nothing of the host is asked for until it answers.",
        remedy="Open the robots.txt in a browser. It is asked for again by itself, at the latest every hour that a "
        "source there is due; “lamplighter robots” asks at once.",
        hold=15 * _MINUTE,
        quiet=_MINUTE,
    ),
    Rule(
        name="SourceDrifting",
        severity=Severity.WARNING,
        title="An extractor may be broken",
        condition="the latest run of a source showed far fewer records than usual, or many without a title",
        matters="The site was probably rebuilt: its records are missed from now on, and taken for gone.",
        remedy="Open the source, compare the latest versions of its page, and try a new recipe.",
        hold=timedelta(0),
    ),
    Rule(
        name="BreakerOpen",
        severity=Severity.WARNING,
        title="A breaker is open",
        condition="a source was paused, or a host is left alone, after failures in a row",
        matters="Nothing of it is asked for but a probe from time to time.",
        remedy="The detail says what went wrong last. When the site answers again, the breaker closes by itself; “run "
        "now” on the source tries at once.",
        hold=5 * _MINUTE,
    ),
    Rule(
        name="DiskLow",
        severity=Severity.CRITICAL,
        title="The disk is nearly full",
        condition="a process has less room on its disk than LAMPLIGHTER_LEAST_FREE_MB",
        matters="That process asks for nothing more, so that no write ever finds the disk full.",
        remedy="Make room or enlarge the disk; keep less in the archive. Fetching goes on by itself.",
        hold=timedelta(0),
    ),
    Rule(
        name="DeadLetters",
        severity=Severity.WARNING,
        title="Something was given up",
        condition="an event, a message, a record for the search server or a notification was given up",
        matters="What they were to bring about has not happened, and will not by itself.",
        remedy="Read the reason where they lie (Events, dead letters; Notifications; Settings, search), mend the "
        "cause, then retry or discard them.",
        hold=timedelta(0),
    ),
    Rule(
        name="SourceSilent",
        severity=Severity.WARNING,
        title="A source is silent",
        condition=f"no run of a source succeeded within {SILENT_INTERVALS} of its intervals, and nobody wanted it so",
        matters="Nothing new comes in from there, and nobody would notice.",
        remedy="Open the source: its latest runs say why they fail. When none was begun, see under Crawl whether a "
        "process schedules and whether there is room.",
        hold=15 * _MINUTE,
    ),
    Rule(
        name="CrawlingPaused",
        severity=Severity.INFO,
        title="All crawling is paused",
        condition="somebody paused all crawling",
        matters="No source is kept up to date; none of them counts as silent meanwhile.",
        remedy="Resume it under Crawl when there is no more reason for the pause.",
        hold=10 * _MINUTE,
    ),
    Rule(
        name="NobodyOnDuty",
        severity=Severity.CRITICAL,
        title="Nobody does a part of the work",
        condition="no living process schedules, fetches or parses",
        matters="Nothing gets further than to whom is missing.",
        remedy="See under Crawl, processes, which are lost; start a process with this duty (LAMPLIGHTER_DUTIES).",
        hold=5 * _MINUTE,
    ),
    Rule(
        name="NoInstances",
        severity=Severity.CRITICAL,
        title="Nothing is heard of the service",
        condition="no process answers Prometheus",
        matters="Nothing is crawled, and the service cannot say so itself.",
        remedy="Start the service, or see why Prometheus does not reach it.",
        hold=5 * _MINUTE,
        expression="absent(crawler_instances)",
        is_seen_inside=False,
    ),
)
BY_NAME: Mapping[str, Rule] = {rule.name: rule for rule in RULES}
