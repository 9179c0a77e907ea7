"""Domains: hosts for which pages are submitted one by one, with the settings that such pages inherit."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.errors import BadInput, Duplicate, NotFound
from lamplighter.model.host import HostPolicy, RobotsFile
from lamplighter.model.record import RecordKind
from lamplighter.operations import hosts as host_operations
from lamplighter.operations import tasks
from lamplighter.rules import interval_text, urls, user_agent
from lamplighter.rules.percent import percent
from lamplighter.rules.urls import WebUrl
from lamplighter.store import audit_log, domains, hosts, robots_files, sources, task_sources
from lamplighter.store.database import Connection
from lamplighter.store.domains import TaskCounts

#: how its pages are read when nobody says: as they tell themselves
USUAL_PARSER = "auto"
#: marks the URL of a domain's own source, which no other source can then have
_MARK = "#tasks"
#: what a domain need not say itself -> the column in which it says so
_FREE = {
    "crawl_delay": "min_delay_ms",
    "max_concurrency": "max_concurrency",
    "frequency": "task_frequency_seconds",
    "user_agent": "user_agent",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an operator says of a domain; None leaves it as it is, or to the installation."""

    base_url: str | None = None
    parser_name: str | None = None
    crawl_delay: timedelta | None = None
    max_concurrency: int | None = None
    frequency: timedelta | None = None
    user_agent: str | None = None
    enabled: bool | None = None
    #: those of the above that are left to the installation again
    taken_back: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A domain, as its operator sees it."""

    id: int
    key: str
    base_url: str
    parser_name: str
    policy: HostPolicy
    #: the time between two requests: the policy's, or what its robots.txt asks for if that is longer
    crawl_delay: timedelta
    frequency: timedelta
    #: what is sent there, its own or the installation's
    user_agent: str
    robots: RobotsFile | None
    created_at: datetime | None
    updated_at: datetime
    tasks: TaskCounts
    active_proxies: int

    @property
    def success_rate(self) -> float:
        """The share of its pages that could be had and read, of those that have ended; per cent."""
        return percent(self.tasks.completed, self.tasks.failed)

    @property
    def robots_url(self) -> str:
        """Where its robots.txt stands."""
        return urls.parse(self.base_url).origin + "/robots.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What holds where a domain says nothing."""

    defaults: HostPolicy
    #: the installation's User-Agent
    agent: str
    #: how long a run may take
    run_deadline: timedelta


async def add(
    db: Connection, name: str | None, settings: Settings, *, actor: str, now: datetime, around: Around
) -> int:
    """Makes a domain of a host, met before or not, and returns its id; Duplicate when it is one already."""
    target = _target(name, settings.base_url)
    await hosts.ensure(db, [target.host_key], now=now)
    row = await domains.lock(db, target.host_key)
    if row.parser_name is not None:
        raise Duplicate(
            f"{target.host_key} is a domain already, number {row.id}; change that one", code="domain_exists"
        )
    values = _values(settings, around) | {"parser_name": settings.parser_name or USUAL_PARSER, "created_at": now}
    await domains.change(db, row.id, now=now, **values)
    await _mark_source(db, row.id, url=target.href, now=now)
    after = _told(values) | {"base_url": target.href}
    await audit_log.write(db, actor=actor, action="domain.add", subject=target.host_key, now=now, after=after)
    return int(row.id)


async def change(
    db: Connection, domain_id: int, settings: Settings, *, actor: str, now: datetime, around: Around
) -> None:
    """Changes what is given and leaves the rest."""
    row = await row_of(db, domain_id)
    values = _values(settings, around)
    target = _same_host(row.key, settings.base_url) if settings.base_url is not None else None
    before = {name: getattr(row, name) for name in values}
    await domains.change(db, domain_id, now=now, **values)
    if target is not None or "parser_name" in values:
        await _mark_source(db, domain_id, url=target.href if target is not None else None, now=now)
    after = _told(values) | ({"base_url": target.href} if target is not None else {})
    await audit_log.write(
        db, actor=actor, action="domain.change", subject=row.key, now=now, before=_told(before), after=after
    )
    if settings.enabled is not None and settings.enabled != row.enabled:
        await set_enabled(db, domain_id, settings.enabled, actor=actor, now=now, around=around)


async def set_enabled(
    db: Connection, domain_id: int, enabled: bool, *, actor: str, now: datetime, around: Around
) -> None:
    """Lets a domain be asked, or asks it for nothing until somebody does."""
    row = await row_of(db, domain_id)
    if enabled:
        await host_operations.enable(db, row.key, actor=actor, now=now, run_deadline=around.run_deadline)
    else:
        await host_operations.disable(db, row.key, actor=actor, now=now)


async def get(db: Connection, domain_id: int, *, around: Around) -> Domain:
    """The domain with this id."""
    return (await _domains(db, [await row_of(db, domain_id)], around=around))[0]


async def listed(
    db: Connection, *, is_active: bool | None, limit: int, offset: int, around: Around
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


async def _domains(db: Connection, rows: Sequence[Any], *, around: Around) -> list[Domain]:
    counts = await domains.task_counts(db, [row.id for row in rows])
    exits = await domains.active_proxies(db, [row.id for row in rows])
    found = []
    for row in rows:
        base_url = _base_url(row)
        host = hosts.host_of(row, around.defaults)
        policy = host.policy
        seconds = row.task_frequency_seconds
        found.append(
            Domain(
                id=row.id,
                key=row.key,
                base_url=base_url,
                parser_name=row.parser_name,
                policy=policy,
                crawl_delay=max(policy.min_delay, host.crawl_delay or timedelta(0)),
                frequency=timedelta(seconds=seconds) if seconds is not None else tasks.USUAL_FREQUENCY,
                user_agent=policy.user_agent or around.agent,
                robots=await robots_files.get(db, urls.parse(base_url).origin),
                created_at=row.created_at,
                updated_at=row.updated_at,
                tasks=counts.get(row.id, TaskCounts()),
                active_proxies=exits.get(row.id, 0),
            )
        )
    return found


def _base_url(row: Any) -> str:
    return (row.task_source_url or f"https://{row.key}/").removesuffix(_MARK)


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
                f"domain_name {name!r} and base_url {target.href} are two sites; give the URL of {named.hostname}",
                field="base_url",
            )
    return target


def _same_host(key: str, base_url: str) -> WebUrl:
    target = urls.parse(base_url)
    if target.host_key != key:
        raise BadInput(
            f"{target.href} is on {target.host_key}, and this domain is {key}; add another domain for it",
            field="base_url",
        )
    return target


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


def _values(settings: Settings, around: Around) -> dict[str, Any]:
    """The columns of what was given."""
    given: dict[str, Any] = {_column(name): None for name in sorted(settings.taken_back)}
    if settings.parser_name is not None:
        given["parser_name"] = settings.parser_name
    if settings.crawl_delay is not None:
        given["min_delay_ms"] = hosts.milliseconds(settings.crawl_delay)
    if settings.max_concurrency is not None:
        given["max_concurrency"] = settings.max_concurrency
    if settings.frequency is not None:
        given["task_frequency_seconds"] = _seconds(settings.frequency)
    if settings.user_agent is not None:
        given["user_agent"] = user_agent.checked(settings.user_agent, ours=around.agent)
    return given


def _column(name: str) -> str:
    """Where that is kept which may be left to the installation again."""
    if name not in _FREE:
        raise BadInput(f"{name} cannot be taken back; leave it out, or give another", field=name)
    return _FREE[name]


def _told(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}


async def _mark_source(db: Connection, host_id: int, *, url: str | None, now: datetime) -> None:
    """Keeps the base URL and the kind of its pages where submitted pages look for them: in the domain's own source."""
    host = await task_sources.get(db, host_id)
    assert host is not None, "it was written a moment ago"
    source_id = await tasks.implicit_source(db, host, now)
    values: dict[str, Any] = {"kind": host.parser_name if host.parser_name in set(RecordKind) else None}
    if url is not None:
        values["url"] = url + _MARK
    await sources.change(db, source_id, now=now, **values)
