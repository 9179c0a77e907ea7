"""Domains: hosts for which tasks are submitted, with the settings that tasks inherit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from lamplighter.errors import BadInput, Duplicate, NotFound
from lamplighter.model import window_json
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange, HostPolicy, RobotsFile
from lamplighter.model.record import RecordKind
from lamplighter.model.schedule import Window, WindowKind
from lamplighter.operations.hosts import hosts as host_operations
from lamplighter.operations.pages import tasks
from lamplighter.operations.sources.source_input import naming
from lamplighter.rules.formats.percent import percent
from lamplighter.rules.hosts import user_agent
from lamplighter.rules.schedule import interval_text, window, window_text
from lamplighter.rules.urls import urls
from lamplighter.rules.urls.urls import WebUrl
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import domains, hosts, robots_files
from lamplighter.store.hosts.domains import TaskCounts
from lamplighter.store.sources import sources, task_sources

#: how pages are parsed by default: by what they contain
USUAL_PARSER = "auto"
#: marks the URL of a domain's own source, which no other source can then have
_MARK = "#tasks"
#: what a domain need not say itself -> the column in which it says so
_FREE = {
    "crawl_delay": "min_delay_ms",
    "max_concurrency": "max_concurrency",
    "frequency": "task_frequency_seconds",
    "user_agent": "user_agent",
    "windows": "windows",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainInput:
    """What an operator says of a domain; None leaves it as it is, or to the installation."""

    base_url: str | None = None
    parser_name: str | None = None
    crawl_delay: timedelta | None = None
    max_concurrency: int | None = None
    frequency: timedelta | None = None
    user_agent: str | None = None
    #: when it is crawled, or not, as text (see `rules.schedule.window_text`)
    windows: str | None = None
    enabled: bool | None = None
    #: those of the above that are left to the installation again
    taken_back: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A domain, as its operator sees it."""

    id: int
    key: str
    #: as its operator calls it: the host, or its site without www
    domain_name: str
    base_url: str
    parser_name: str
    policy: HostPolicy
    #: the time between two requests: the policy's, or what its robots.txt asks for if that is longer
    crawl_delay: timedelta
    frequency: timedelta
    #: when it is crawled, or not, as text; None for at any time
    windows: str | None
    #: what is sent there, its own or the installation's
    user_agent: str
    robots: RobotsFile | None
    created_at: datetime | None
    updated_at: datetime
    tasks: TaskCounts
    active_proxies: int

    @property
    def success_rate(self) -> float | None:
        """The share of its pages that could be had and read, of those that have ended; per cent, None without any."""
        return percent(self.tasks.completed, self.tasks.failed)

    @property
    def robots_url(self) -> str:
        """Where its robots.txt stands."""
        return urls.parse(self.base_url).origin + "/robots.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainDefaults:
    """Defaults for domains without settings of their own."""

    defaults: HostPolicy
    #: the installation's User-Agent
    agent: str
    #: how long a run may take
    run_deadline: timedelta


async def add(db: Connection, name: str | None, settings: DomainInput, *, stamp: Stamp, around: DomainDefaults) -> int:
    """Makes a domain of a host, met before or not, and returns its id; Duplicate when it is one already."""
    target = _target(name, settings.base_url)
    await hosts.ensure(db, [target.host_key], now=stamp.now)
    row = await domains.lock(db, target.host_key)
    if row.parser_name is not None:
        raise Duplicate(f"{target.host_key} already exists as domain {row.id}; change that one", code="domain_exists")
    given = _change_of(settings, around)
    named = host_operations.host_key(name) if name is not None else target.host_key
    made = HostChange(
        parser_name=settings.parser_name or USUAL_PARSER,
        domain_name=named if named != target.host_key else None,
        created_at=stamp.now,
    )
    change = given | made
    await domains.change(db, row.id, change, now=stamp.now)
    await _mark_source(db, row.id, url=target.href, now=stamp.now)
    after = _audited(change.columns()) | {"base_url": target.href}
    await audit_log.write(db, stamp, "domain.add", target.host_key, after=after)
    return int(row.id)


async def change(
    db: Connection, domain_id: int, settings: DomainInput, *, stamp: Stamp, around: DomainDefaults
) -> None:
    """Changes what is given and leaves the rest."""
    row = await row_of(db, domain_id)
    change = _change_of(settings, around)
    values = change.columns()
    target = _same_host(row.key, settings.base_url) if settings.base_url is not None else None
    before = {name: getattr(row, name) for name in values}
    await domains.change(db, domain_id, change, now=stamp.now)
    if target is not None or "parser_name" in values:
        await _mark_source(db, domain_id, url=target.href if target is not None else None, now=stamp.now)
    after = _audited(values) | ({"base_url": target.href} if target is not None else {})
    await audit_log.write(db, stamp, "domain.change", row.key, before=_audited(before), after=after)
    if settings.enabled is not None and settings.enabled != row.enabled:
        await set_enabled(db, domain_id, settings.enabled, stamp=stamp, around=around)


async def set_enabled(db: Connection, domain_id: int, enabled: bool, *, stamp: Stamp, around: DomainDefaults) -> None:
    """Enables or disables a domain."""
    row = await row_of(db, domain_id)
    if enabled:
        await host_operations.enable(db, row.key, stamp=stamp, run_deadline=around.run_deadline)
    else:
        await host_operations.disable(db, row.key, stamp=stamp)


async def get(db: Connection, domain_id: int, *, around: DomainDefaults) -> Domain:
    """The domain with this id."""
    return (await _domains(db, [await row_of(db, domain_id)], around=around))[0]


async def listed(
    db: Connection, *, is_active: bool | None, limit: int, offset: int, around: DomainDefaults
) -> tuple[list[Domain], int]:
    """One page of the domains, by name, and how many there are."""
    rows, total = await domains.listed(db, is_active=is_active, limit=limit, offset=offset)
    return await _domains(db, rows, around=around), total


async def row_of(db: Connection, domain_id: int) -> Any:
    """What is stored of a domain; NotFound when there is none with this id."""
    row = await domains.get(db, domain_id)
    if row is None:
        raise NotFound(f"there is no domain {domain_id}; GET /api/admin/domains lists them", code="domain_not_found")
    return row


async def _domains(db: Connection, rows: Sequence[Any], *, around: DomainDefaults) -> list[Domain]:
    counts = await domains.task_counts(db, [row.id for row in rows])
    proxy_counts = await domains.active_proxies(db, [row.id for row in rows])
    found = []
    for row in rows:
        base_url = (row.task_source_url or f"https://{row.key}/").removesuffix(_MARK)
        host = hosts.host_of(row, around.defaults)
        policy = host.policy
        seconds = row.task_frequency_seconds
        found.append(
            Domain(
                id=row.id,
                key=row.key,
                domain_name=row.domain_name or row.key,
                base_url=base_url,
                parser_name=row.parser_name,
                policy=policy,
                crawl_delay=max(policy.min_delay, host.crawl_delay or timedelta(0)),
                frequency=timedelta(seconds=seconds) if seconds is not None else tasks.USUAL_FREQUENCY,
                windows=_windows_text(row.windows),
                user_agent=policy.user_agent or around.agent,
                robots=await robots_files.get(db, urls.parse(base_url).origin),
                created_at=row.created_at,
                updated_at=row.updated_at,
                tasks=counts.get(row.id, TaskCounts()),
                active_proxies=proxy_counts.get(row.id, 0),
            )
        )
    return found


def _target(name: str | None, base_url: str | None) -> WebUrl:
    """Where a domain begins. Its host is that of the URL; the name must belong to the same site."""
    if base_url is None:
        if name is None:
            raise BadInput("a domain needs a base_url, for example https://example.org/", field="base_url")
        return urls.parse(f"https://{host_operations.host_key(name)}/")
    target = urls.parse(base_url)
    if name is not None:
        named = urls.parse(f"http://{host_operations.host_key(name)}/")
        if not urls.same_site(named.hostname, target.hostname):
            raise BadInput(
                f"domain_name {name!r} and base_url {target.href} are different sites; use the URL of {named.hostname}",
                field="base_url",
            )
    return target


def _same_host(key: str, base_url: str) -> WebUrl:
    target = urls.parse(base_url)
    if target.host_key != key:
        raise BadInput(
            f"{target.href} is on {target.host_key}, but this domain is {key}; add another domain for it",
            field="base_url",
        )
    return target


def _windows(text: str) -> tuple[Window, ...]:
    """The hours without requests, with or without the word deny."""
    with naming("maintenance_windows"):
        windows = tuple(replace(each, kind=WindowKind.DENY) for each in window_text.parse(text))
        window.check(windows)
    return windows


def _windows_text(stored: Any) -> str | None:
    windows, _ = window_json.loaded(stored or [])
    return window_text.describe(windows) if windows else None


def _seconds(frequency: timedelta) -> int:
    least = tasks.LEAST_FREQUENCY
    if frequency < least:
        given = interval_text.describe(frequency)
        raise BadInput(
            f"{given} is too often for one page; use {interval_text.describe(least)} or more",
            code="invalid_interval",
            field="default_crawl_frequency",
        )
    return int(frequency.total_seconds())


def _parser(name: str | None) -> str | None:
    """The parser with this name, which must be one of ours."""
    known = (USUAL_PARSER, *RecordKind)
    if name is None or name in known:
        return name
    raise BadInput(f"parser_name {name!r} is unknown; use one of {', '.join(known)}", field="parser_name")


def _change_of(settings: DomainInput, around: DomainDefaults) -> HostChange:
    """The update for the settings that were given."""
    delay, frequency, agent = settings.crawl_delay, settings.frequency, settings.user_agent
    given = {
        "parser_name": _parser(settings.parser_name),
        "min_delay_ms": hosts.milliseconds(delay) if delay is not None else None,
        "max_concurrency": settings.max_concurrency,
        "task_frequency_seconds": _seconds(frequency) if frequency is not None else None,
        "user_agent": user_agent.checked(agent, ours=around.agent) if agent is not None else None,
        "windows": _windows(settings.windows) if settings.windows is not None else None,
    }
    changes: dict[str, Any] = {_column(name): None for name in sorted(settings.taken_back)}
    return HostChange(**changes | {name: value for name, value in given.items() if value is not None})


def _column(name: str) -> str:
    """Where that is kept which may be left to the installation again."""
    if name not in _FREE:
        raise BadInput(f"{name} cannot be removed; leave it out, or give another value", field=name)
    return _FREE[name]


def _audited(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}


async def _mark_source(db: Connection, host_id: int, *, url: str | None, now: datetime) -> None:
    """Keeps the base URL and the kind of its pages where submitted pages look for them: in the domain's own source."""
    host = await task_sources.get(db, host_id)
    assert host is not None, "it was written a moment ago"
    source_id = await tasks.implicit_source(db, host, now)
    source = await sources.get(db, source_id)
    assert source is not None, "it was made or found a moment ago, and its host is held"
    marked = replace(source, kind=tasks.kind_of_pages(host), url=source.url if url is None else url + _MARK)
    await sources.save(db, source, marked, now=now)
