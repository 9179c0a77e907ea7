"""Tasks: pages that a program or operator submits, each with its own priority and interval.

They belong to the named source, or else to their host's implicit source, which is made for the first of them: it is
never crawled from its URL, shows in no list, and holds only submitted pages.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import uuid4

from lamplighter.crawl.reading.link_admission import body_of_others
from lamplighter.errors import BadInput, BadUrl, Duplicate, NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobChange, JobState, PauseReason
from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.model.record import RecordKind
from lamplighter.model.source import SourceOptions
from lamplighter.rules.hosts import takedown
from lamplighter.rules.pages import frontier
from lamplighter.rules.urls import urls
from lamplighter.rules.urls.urls import WebUrl
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts, takedowns
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.jobs.crawl_jobs import NewJob
from lamplighter.store.pages import pages, tasks
from lamplighter.store.pages.pages import NewPage
from lamplighter.store.pages.tasks import NewOrder
from lamplighter.store.sources import sources, task_sources
from lamplighter.store.sources.task_sources import TaskHost

#: URLs submitted at once, and in one transaction
MOST_AT_ONCE, CHUNK = 10_000, 500
#: the shortest interval of a task
LEAST_FREQUENCY = timedelta(minutes=1)
#: the default interval of a task
USUAL_FREQUENCY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOrder:
    """How submitted pages are fetched."""

    #: 0 to 100, higher sooner
    priority: int = 50
    #: between visits; None means once
    frequency: timedelta | None = None
    #: False keeps the frequency and fetches once
    is_recurring: bool = True
    #: the first visit; None means at once
    at: datetime | None = None
    #: tries after the first, for each visit; None leaves it to the installation
    max_retries: int | None = None
    #: the task for which they are submitted, and the batch with which
    parent_id: int | None = None
    batch_id: str | None = None
    #: the notification channel of their webhook
    channel_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitResult:
    """The result for a list of URLs; a URL that is given twice counts as a duplicate."""

    #: in the order of the URLs
    page_ids: list[int] = field(default_factory=list)
    duplicates: int = 0
    #: URLs that cannot be used, and why
    refused: list[tuple[str, str]] = field(default_factory=list)


async def host_of(db: Connection, host_id: int) -> TaskHost:
    """The domain with this id, locked until the transaction ends; NotFound for a host that is no domain."""
    host = await task_sources.get(db, host_id)
    if host is None or host.parser_name is None:
        raise NotFound(f"there is no domain {host_id}; GET /api/admin/domains lists them", code="domain_not_found")
    return host


def frequency_of(host: TaskHost) -> timedelta:
    """The default interval of tasks of this host."""
    return timedelta(seconds=host.task_frequency_seconds) if host.task_frequency_seconds else USUAL_FREQUENCY


def kind_of_pages(host: TaskHost) -> RecordKind | None:
    """What submitted pages of this host are; None lets them tell."""
    return RecordKind(host.parser_name) if host.parser_name in set(RecordKind) else None


async def implicit_source(db: Connection, host: TaskHost, now: datetime) -> int:
    """The source to which pages submitted for this host belong, made with its crawl job if there is none yet."""
    if host.task_source_id is not None and await sources.get(db, host.task_source_id) is not None:
        return host.task_source_id
    # No source URL has a fragment, so this one is always free; it is never fetched.
    url = f"https://{host.key}/#tasks"
    source_id = await sources.add(
        db,
        SourceOptions(name=f"{host.key}: submitted pages", url=url, kind=kind_of_pages(host), max_depth=0),
        public_id=str(uuid4()),
        is_implicit=True,
        now=now,
    )
    assert source_id is not None, "the host is held, so nobody else can have added it"
    job = NewJob(source_id, priority=50, interval=USUAL_FREQUENCY, next_run_at=now, host_id=host.id)
    job_id = await crawl_jobs.add(db, job, now=now)
    paused = JobChange(state=JobState.PAUSED, pause_reason=PauseReason.TASKS, next_run_at=None)
    await crawl_jobs.change(db, job_id, paused, now=now)
    await task_sources.assign(db, host.id, source_id)
    return source_id


async def submit(db: Connection, source_id: int, url: str, order: TaskOrder, *, stamp: Stamp) -> int:
    """Orders one page of a source, and returns its id; refuses a URL that has an order already."""
    target = urls.parse(url)
    _refuse_taken_down(target, await takedowns.all_of_them(db))
    done = await _submit(db, source_id, [target], order, stamp=stamp)
    if done.duplicates:
        there = (await pages.known(db, [urls.url_key(target.href)]))[urls.url_key(target.href)][source_id]
        raise Duplicate(
            f"{target.href} was already submitted as task {there.id}; restart that one", code="duplicate_url"
        )
    (page_id,) = done.page_ids
    frequency = order.frequency.total_seconds() if order.frequency is not None else None
    after = {"url": target.href, "priority": order.priority, "frequency_seconds": frequency}
    await audit_log.write(db, stamp, "task.submit", f"task {page_id}", after=after)
    return page_id


async def submit_many(
    db: Connection, host: TaskHost, given: Sequence[str], order: TaskOrder, *, stamp: Stamp
) -> SubmitResult:
    """Orders pages of a host, as far as their URLs can be used and are new; no more than CHUNK at a time."""
    usable, refused = list[WebUrl](), list[tuple[str, str]]()
    entries = await takedowns.all_of_them(db)
    for url in given:
        try:
            target = on_host(host, url)
            _refuse_taken_down(target, entries)
            usable.append(target)
        except BadInput as error:
            refused.append((url, str(error)))
    source_id = await implicit_source(db, host, stamp.now)
    done = await _submit(db, source_id, usable, order, stamp=stamp)
    counts = {"submitted": len(done.page_ids), "duplicates": done.duplicates, "refused": len(refused)}
    await audit_log.write(db, stamp, "task.submit_many", f"host {host.key}", after=counts)
    return SubmitResult(page_ids=done.page_ids, duplicates=done.duplicates, refused=refused)


def on_host(host: TaskHost, url: str) -> WebUrl:
    """The URL, which must be one of the host's."""
    target = urls.parse(url)
    if target.host_key != host.key:
        raise BadUrl(f"{target.href} is on {target.host_key}, not on the domain {host.key}; submit it for that domain")
    return target


def _refuse_taken_down(target: WebUrl, entries: Sequence[str]) -> None:
    if (entry := takedown.matching(target.href, entries)) is not None:
        message = f"{target.href} is not fetched: {entry} is on the takedown list; lift the takedown first"
        raise BadInput(message, code="taken_down", field="url")


async def _submit(
    db: Connection, source_id: int, targets: Sequence[WebUrl], order: TaskOrder, *, stamp: Stamp
) -> SubmitResult:
    by_key = {urls.url_key(target.href): target for target in targets}
    known = await pages.known(db, by_key)
    had = {key: there.id for key, by_source in known.items() if (there := by_source.get(source_id)) is not None}
    host_ids = await hosts.ensure(db, {target.host_key for target in targets}, now=stamp.now)
    new_pages = [
        NewPage(
            source_id=source_id,
            run_id=None,
            host_id=host_ids[target.host_key],
            url=target.href,
            url_key=key,
            role=PageRole.LINK,
            depth=0,
            rank=frontier.rank(priority=order.priority, depth=0),
            phase=Phase.WAITING,
            created_at=stamp.now,
            max_retries=order.max_retries,
            body=body_of_others(known.get(key, {})),
        )
        for key, target in by_key.items()
        if key not in had
    ]
    await pages.add(db, new_pages)
    added = await pages.known(db, [page.url_key for page in new_pages])
    ids = had | {key: by_source[source_id].id for key, by_source in added.items()}
    ordered = await tasks.among(db, had.values())
    new = [ids[key] for key in by_key if ids[key] not in ordered]
    await tasks.add(db, [_order_of(page_id, order, stamp=stamp) for page_id in new])
    return SubmitResult(page_ids=new, duplicates=len(targets) - len(new))


def _order_of(page_id: int, order: TaskOrder, *, stamp: Stamp) -> NewOrder:
    at = order.at or stamp.now
    seconds = int(order.frequency.total_seconds()) if order.frequency is not None else None
    return NewOrder(
        page_id,
        order.priority,
        seconds,
        order.is_recurring and seconds is not None,
        scheduled_at=at,
        next_at=at,
        created_by=stamp.actor,
        parent_page_id=order.parent_id,
        batch_id=order.batch_id,
        channel_id=order.channel_id,
    )
