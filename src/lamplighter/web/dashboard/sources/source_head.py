"""The head of every source view: name, state, actions and tabs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from fastapi import Response

from lamplighter.crawl.jobs.job_keeper import ENDED
from lamplighter.model.crawl import CrawlJob
from lamplighter.model.source import Source
from lamplighter.operations.hosts import takedowns
from lamplighter.operations.jobs import job_waits
from lamplighter.operations.sources import demo_sources, source_health, source_list, sources
from lamplighter.operations.sources.demo_sources import DemoPast
from lamplighter.operations.sources.source_health import SourceHealth
from lamplighter.operations.sources.source_words import PRIORITIES, priority_word
from lamplighter.rules.schedule import lifecycle
from lamplighter.rules.schedule.lifecycle import JobAction
from lamplighter.rules.sources import source_state
from lamplighter.rules.urls import urls
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs
from lamplighter.store.sources.source_lists import ListedSource
from lamplighter.web.dashboard.page_request import PageRequest

#: the id of the side panel, and of the element whose parts are refreshed
PANEL, VIEW = "panel", "source-view"


class SourceTab(NamedTuple):
    """A tab: one view of a source."""

    name: str
    path: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedForm:
    """An invalid form of the head that is shown again."""

    name: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)
    #: the errors by field
    faults: Mapping[str, str] = field(default_factory=dict)


_TABS = (
    ("Overview", ""),
    ("Runs & log", "/runs"),
    ("Changes", "/changes"),
    ("Records", "/records"),
    ("Archive", "/versions"),
    ("Try", "/trials"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceHead:
    """The head of one source."""

    listed: ListedSource
    #: None until the source was first enabled
    job: CrawlJob | None
    health: SourceHealth
    host: str
    priority: str | int
    #: all priority names, the highest first
    priorities: tuple[str, ...]
    #: the actions that its job allows now: pause, resume, force-run …
    actions: tuple[str, ...]
    #: the takedown that covers its URL; None without one
    taken_down: str | None
    #: what of it was made in advance, if it is of the demo
    past: DemoPast | None

    @property
    def source(self) -> Source:
        """The source itself."""
        return self.listed.source

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""
        return self.listed.tags

    @property
    def path(self) -> str:
        """Its URL path."""
        return f"/sources/{self.source.public_id}"

    @property
    def may_enable(self) -> bool:
        """Whether the source can be enabled."""
        is_jobless = self.job is not None and self.job.deleted_at is not None
        return not self.is_deleted and (not self.source.enabled or is_jobless)

    @property
    def may_start_again(self) -> bool:
        """Whether its job has ended and can be started again."""
        return self.job is not None and self.job.state in ENDED and self.source.enabled and not self.may_enable

    @property
    def is_deleted(self) -> bool:
        """Whether the source is deleted and can only be restored."""
        return self.source.deleted_at is not None

    def tabs(self, current: str) -> list[SourceTab]:
        """Its tabs; the path of the request selects the current one."""
        within = current.removeprefix(self.path)
        return [
            SourceTab(name, f"{self.path}{end}", within == end or (end != "" and within.startswith(f"{end}/")))
            for name, end in _TABS
        ]


async def head_of(request: PageRequest, source_id: UUID) -> SourceHead:
    """Loads the head of a source, deleted or not; NotFound for an unknown id."""
    async with request.view.db.read() as db:
        source = await sources.find(db, source_id)
        listed = await source_list.one(db, source.id, now=request.now)
        job = await crawl_jobs.of_source(db, source.id)
        taken_down = await takedowns.covering(db, source.url)
        wait = await job_waits.of_source(db, source.id, now=request.now)
        past = await demo_sources.past_of(db, [source]) if demo_sources.TAG in listed.tags else None
        is_running = job is not None and await crawl_runs.open_of_job(db, job.id) is not None
    is_shown = job is not None and job.deleted_at is None and source.deleted_at is None
    return SourceHead(
        listed=listed,
        job=job,
        health=source_health.health_of(source, job, listed.run, wait=wait),
        host=urls.parse(source.url).host_key,
        priority=priority_word(job.priority if job is not None else source.priority),
        priorities=tuple(PRIORITIES),
        actions=_actions(job, taken_down, is_running=is_running) if job is not None and is_shown else (),
        taken_down=taken_down,
        past=past,
    )


def _actions(job: CrawlJob, taken_down: str | None, *, is_running: bool) -> tuple[str, ...]:
    """The possible actions of a job: no run if it would fetch nothing, and stopping instead if one is active."""
    status = source_state.status_of_job(job)
    refused = {JobAction.FORCE_RUN} if taken_down is not None or is_running else {JobAction.STOP}
    possible = [
        each for each in lifecycle.actions_of(job.state, job.pause_reason, status=status) if each not in refused
    ]
    if is_running and JobAction.STOP not in possible:  # a paused job finishes its run
        possible.append(JobAction.STOP)
    return tuple(possible)


def source_page(
    request: PageRequest,
    template: str,
    *,
    head: SourceHead,
    status: int | None = None,
    returned: ReturnedForm | None = None,
    tab: str | None = None,
    **shown: Any,
) -> Response:
    """Renders a template that extends source/base.html, as the side panel for a script, else as a whole page.

    `tab` is the path of the tab to mark as current, if it differs from the request path.
    """
    is_part = request.target in (PANEL, VIEW)
    show = request.part if is_part else request.page
    tabs = head.tabs(tab or request.http.url.path)
    return show(
        template,
        status=status,
        head=head,
        in_panel=request.target == PANEL,
        layout="sources/one/panel.html" if is_part else "dashboard.html",
        tabs=tabs,
        back=next((tab.path for tab in tabs if tab.is_current), head.path),
        acts=_acts(head, returned or ReturnedForm()),
        **shown,
    )


def _acts(head: SourceHead, returned: ReturnedForm) -> dict[str, Any]:
    """The forms of the head: the open one, the typed values and the errors."""
    empty = dict.fromkeys(("pause_hours", "disable_reason", "clone_url", "clone_name", "every_minutes"), "")
    now = {"set_priority": str(head.priority), "set_tags": ", ".join(head.tags)}
    return {"opened": returned.name, "typed": empty | now | dict(returned.typed), "faults": returned.faults}
