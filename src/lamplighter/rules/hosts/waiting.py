"""Why does a host or a job wait? One reason in words: the one that would still hold if the others were gone."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.model.fleet import CrawlPause
from lamplighter.model.host import Host
from lamplighter.rules.formats.plural import counted
from lamplighter.rules.hosts import politeness
from lamplighter.rules.schedule.reasons import span

#: from here on a delay is shown in minutes, hours or days
_LONG = timedelta(minutes=2)
_NO_PROXY = "no proxy can be used"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A state in one or two words, and the reason in a sentence."""

    word: str
    why: str
    #: when the wait ends by itself; None when that is not known
    until: datetime | None = None

    @property
    def sentence(self) -> str:
        """The reason, and until when."""
        return f"{self.why} (until {self.until:%Y-%m-%d %H:%M:%S} UTC)" if self.until is not None else self.why


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCase:
    """What determines whether a host is fetched now."""

    host: Host
    #: the process that holds its lease, and until when; None when no process does
    held_by: str | None
    lease_until: datetime | None
    #: pages that may be fetched now
    due_pages: int
    #: when the first of its other pages may be; None without any
    next_page_at: datetime | None
    #: why that page is retried; None when it is not known
    detail: str | None
    #: until when it waits for a proxy, and why; None when it does not
    proxy_wait_until: datetime | None = None
    proxy_wait_reason: str | None = None


def host_wait(case: HostCase, *, stopped: CrawlPause | None, trouble: str | None, now: datetime) -> Wait:
    """Why a host is or is not fetched. `trouble` is what stops all fetching, in words."""
    host = case.host
    is_held = case.lease_until is not None and case.lease_until > now
    if is_held and case.due_pages and not politeness.is_blocked(host, now=now):
        return Wait(word="being fetched", why=f"{_pace(host)}; held by {case.held_by}")
    if stopped is not None:
        return Wait(word="paused", why=stopped.sentence)
    if not host.policy.enabled:
        return Wait(word="disabled", why="an operator disabled the host; its pages wait until it is enabled")
    if politeness.is_blocked(host, now=now):
        return Wait(word="backing off", why=host.block_reason or "it asked us to wait", until=host.blocked_until)
    if case.proxy_wait_until is not None and case.proxy_wait_until > now:
        why = case.proxy_wait_reason or _NO_PROXY
        return Wait(word="no proxy", why=why, until=case.proxy_wait_until)
    if not case.due_pages and case.next_page_at is not None:
        why = f"its pages are retried later: {case.detail}" if case.detail else "its pages are retried later"
        return Wait(word="retrying", why=why, until=case.next_page_at)
    if is_held:
        return Wait(word="held", why=f"held by {case.held_by}, in case its pages link to more")
    if trouble is not None:
        return Wait(word="blocked", why=trouble)
    return _its_turn(case, now=now)


def _its_turn(case: HostCase, *, now: datetime) -> Wait:
    host = case.host
    if case.held_by is not None and case.lease_until is not None:
        why = f"{case.held_by} stopped without releasing it; another process takes it after one delay"
        return Wait(word="taken over", why=why, until=case.lease_until + politeness.effective_delay(host))
    if host.free_at is not None and host.free_at > now:
        return Wait(word="delay", why=_pace(host), until=host.free_at)
    return Wait(word="ready", why="it is due; it waits for a process with a free slot")


def _pace(host: Host) -> str:
    delay = politeness.effective_delay(host)
    if not delay:
        return "no delay between requests"
    seconds = f"{delay / timedelta(seconds=1):.3g} s" if delay < _LONG else span(delay.total_seconds())
    if host.crawl_delay is not None and delay == host.crawl_delay:
        return f"one request every {seconds}, as its robots.txt asks"
    if host.learnt_delay and delay == host.learnt_delay:
        return f"one request every {seconds}, because it asked us to slow down"
    return f"one request every {seconds}, by its policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCase:
    """What determines whether a run of a due job is opened now."""

    #: host of its start page; None before the first run
    host: str | None
    host_enabled: bool
    host_free_at: datetime | None
    #: running runs, on its host and in all
    runs_on_host: int
    runs: int
    most_on_host: int
    most: int
    #: when the installation's budget allows the next fetch
    budget_free_at: datetime | None
    #: whether a process opens runs
    is_scheduled: bool


def job_wait(case: JobCase, *, stopped: CrawlPause | None, now: datetime) -> Wait:
    """Why a due job has no run yet."""
    if stopped is not None:
        return Wait(word="paused", why=stopped.sentence)
    if not case.is_scheduled:
        return Wait(word="no scheduler", why="no process opens runs; start one with the duty schedule")
    if not case.host_enabled:
        return Wait(word="disabled", why=f"its host {case.host} is disabled")
    if case.host_free_at is not None and case.host_free_at > now:
        return Wait(word="budget", why=f"the budget of {case.host} is used up", until=case.host_free_at)
    if case.budget_free_at is not None and case.budget_free_at > now:
        return Wait(word="budget", why="the budget of all fetches is used up", until=case.budget_free_at)
    if case.runs_on_host >= case.most_on_host:
        running = counted(case.runs_on_host, "run")
        return Wait(word="host busy", why=f"{running} in progress at {case.host}, which is its limit")
    if case.runs >= case.most:
        running = counted(case.runs, "run")
        return Wait(word="no free slot", why=f"{running} in progress, which is the limit")
    return Wait(word="about to run", why="the scheduler opens its run within seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldCase:
    """A job, and what may keep its host from being requested."""

    host: str
    host_enabled: bool
    blocked_until: datetime | None
    block_reason: str | None
    budget_free_at: datetime | None
    #: until when it waits for a proxy, and why
    proxy_wait_until: datetime | None
    proxy_wait_reason: str | None
    #: whether a run of the job is open
    is_running: bool
    #: whether a run was due, or is
    is_due: bool
    #: whether a due run was postponed
    is_held: bool


def held_wait(case: HeldCase, *, now: datetime) -> Wait | None:
    """What a job waits for that should run; None when its host may be requested, or no run is due."""
    if not (case.is_running or case.is_due):
        return None
    if not case.host_enabled:
        return Wait(word="waiting", why=f"its host {case.host} is disabled; enable the host to go on")
    if case.blocked_until is not None and case.blocked_until > now:
        why = f"its host {case.host} gets no requests: {case.block_reason or 'it asked us to wait'}"
        return Wait(word="waiting", why=why, until=case.blocked_until)
    if case.proxy_wait_until is not None and case.proxy_wait_until > now:
        why = f"its host {case.host} waits for a proxy: {case.proxy_wait_reason or _NO_PROXY}"
        return Wait(word="waiting", why=why, until=case.proxy_wait_until)
    if case.is_due and case.is_held and case.budget_free_at is not None and case.budget_free_at > now:
        return Wait(word="waiting", why=f"the budget of its host {case.host} is used up", until=case.budget_free_at)
    return None


def started(wait: Wait | None) -> str:
    """What follows when an operator has started a run."""
    if wait is None:
        return "The run was started."
    until = f" until {wait.until:%Y-%m-%d %H:%M:%S} UTC" if wait.until is not None else ""
    return f"The run was opened and waits{until}: {wait.why}."
