"""What stands above every view of one source: its name, how it stands and why, what can be done, and its tabs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from fastapi import Response

from lamplighter.crawl.job_keeper import ENDED
from lamplighter.model.crawl import CrawlJob
from lamplighter.operations import source_list, source_standing, sources, takedowns
from lamplighter.operations.source_standing import Standing
from lamplighter.operations.source_words import PRIORITIES, priority_word
from lamplighter.rules import lifecycle, urls
from lamplighter.store import crawl_jobs
from lamplighter.store.source_lists import ListedSource
from lamplighter.store.sources import SourceRow
from lamplighter.web.dashboard.visit import Visit

#: the element that slides over, and the one that renews its parts
PANEL, VIEW = "panel", "source-view"


class Tab(NamedTuple):
    """A view of a source."""

    name: str
    path: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A form of the head that comes back to whoever filled it in."""

    name: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)
    #: what is wrong with which of its fields
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
    """One source as its head shows it."""

    listed: ListedSource
    #: None until the source was first enabled
    job: CrawlJob | None
    standing: Standing
    host: str
    priority: str | int
    #: all names of priorities, the highest first
    priorities: tuple[str, ...]
    #: what is possible with its job now: pause, resume, force-run …
    actions: tuple[str, ...]
    #: the entry of the list of takedowns that covers its URL; None when it may be asked
    taken_down: str | None

    @property
    def source(self) -> SourceRow:
        """The source itself."""
        return self.listed.source

    @property
    def tags(self) -> tuple[str, ...]:
        """Its labels."""
        return self.listed.tags

    @property
    def path(self) -> str:
        """Where it is shown."""
        return f"/sources/{self.source.public_id}"

    @property
    def may_enable(self) -> bool:
        """Whether enabling would change anything."""
        is_jobless = self.job is not None and self.job.deleted_at is not None
        return not self.is_deleted and (not self.source.enabled or is_jobless)

    @property
    def may_start_again(self) -> bool:
        """Whether its job has ended, and would begin from the start."""
        return self.job is not None and self.job.state in ENDED and self.source.enabled and not self.may_enable

    @property
    def is_deleted(self) -> bool:
        """Whether it can only be restored."""
        return self.source.deleted_at is not None

    def tabs(self, current: str) -> list[Tab]:
        """Its views, of which the path of the request shows one."""
        within = current.removeprefix(self.path)
        return [
            Tab(name, f"{self.path}{end}", within == end or (end != "" and within.startswith(f"{end}/")))
            for name, end in _TABS
        ]


async def head_of(visit: Visit, source_id: UUID) -> SourceHead:
    """The head of a source, deleted or not; NotFound when there is none with this id."""
    async with visit.view.db.read() as db:
        source = await sources.find(db, source_id)
        listed = await source_list.one(db, source.id)
        job = await crawl_jobs.of_source(db, source.id)
        taken_down = await takedowns.covering(db, source.url)
    is_shown = job is not None and job.deleted_at is None and source.deleted_at is None
    return SourceHead(
        listed=listed,
        job=job,
        standing=source_standing.standing_of(source, job, listed.run),
        host=urls.parse(source.url).host_key,
        priority=priority_word(job.priority if job is not None else source.priority),
        priorities=tuple(PRIORITIES),
        actions=_actions(job, taken_down) if job is not None and is_shown else (),
        taken_down=taken_down,
    )


def _actions(job: CrawlJob, taken_down: str | None) -> tuple[str, ...]:
    """What is possible with a job; a run that would ask for nothing is not."""
    refused = {lifecycle.Action.FORCE_RUN} if taken_down is not None else set()
    return tuple(each for each in lifecycle.actions_of(job.state, job.pause_reason) if each not in refused)


def source_page(
    visit: Visit,
    template: str,
    *,
    head: SourceHead,
    status: int = 200,
    returned: Returned | None = None,
    tab: str | None = None,
    **shown: Any,
) -> Response:
    """A template that extends source/base.html: as a part when a script asks for the panel, else as a whole page.

    `tab` is the path of the view that it is a part of, when it has one of its own.
    """
    is_part = visit.target in (PANEL, VIEW)
    show = visit.part if is_part else visit.page
    tabs = head.tabs(tab or visit.request.url.path)
    return show(
        template,
        status=status,
        head=head,
        in_panel=visit.target == PANEL,
        layout="source/panel.html" if is_part else "dashboard.html",
        tabs=tabs,
        back=next((tab.path for tab in tabs if tab.is_current), head.path),
        acts=_acts(head, returned or Returned()),
        **shown,
    )


def _acts(head: SourceHead, returned: Returned) -> dict[str, Any]:
    """The forms of the head: which is open, what stands in them, and what is wrong with that."""
    empty = dict.fromkeys(("pause_hours", "disable_reason", "clone_url", "clone_name", "every_minutes"), "")
    now = {"set_priority": str(head.priority), "set_tags": ", ".join(head.tags)}
    return {"opened": returned.name, "typed": empty | now | dict(returned.typed), "faults": returned.faults}
