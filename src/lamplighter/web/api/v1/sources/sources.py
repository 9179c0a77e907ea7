"""Sources."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query, Response
from pydantic import BaseModel, Field, Strict, model_validator

from lamplighter.model import window_json
from lamplighter.model.crawl import JobState, RunOutcome, SourceState
from lamplighter.model.schedule import OrganisationType, PolicyName
from lamplighter.model.source import SourceStatus
from lamplighter.model.window_json import MOST_WINDOWS
from lamplighter.operations.explain.lessons import pointing_at
from lamplighter.operations.explain.trials import FetchTrial, Simulation
from lamplighter.operations.sources import source_list
from lamplighter.operations.sources.source_feeds import SourceFeed
from lamplighter.operations.sources.source_fields import altered, input_from, row_from
from lamplighter.operations.sources.source_file_formats import FileFormat
from lamplighter.operations.sources.source_input import LONGEST_NAME, MOST_PAGES, MOST_TAGS, input_of, warnings
from lamplighter.operations.sources.source_words import DEEPEST, selectors_from
from lamplighter.rules.pages import cut_short
from lamplighter.rules.schedule import reasons
from lamplighter.rules.sources import source_state
from lamplighter.store.sources.source_lists import ListedSource, SourceSort
from lamplighter.web import source_verbs
from lamplighter.web.api import source_routes
from lamplighter.web.api.envelope import WaitingOut, listed, part_of
from lamplighter.web.api.source_routes import ImportOut, Kind, Minutes, Priority, SourceFilterIn, Tag, Url, import_out
from lamplighter.web.routes import Routes
from lamplighter.web.source_uploads import Uploaded
from lamplighter.web.values import Given, Limit, Line, Offset, Text
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/sources", tag="sources")
Hour = Annotated[int, Field(ge=0, le=23)]
Depth = Literal["page"] | Annotated[int, Strict(), Field(ge=-1, le=DEEPEST)]


class SourceChanges(Given):
    """Fields of a source; omitted fields stay as they are. null resets a field."""

    name: Annotated[Line, Field(max_length=LONGEST_NAME)] | None = None
    url: Url | None = None
    enabled: bool = True
    priority: Priority = Field(default="normal", description="A name, or 0 to 100; higher runs sooner.")
    rate_limit: Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)] | None = Field(
        default=None, description="Requests per second at most; the host's policy and robots.txt may allow fewer."
    )
    max_depth: Depth | None = Field(
        default=3,
        description='Links to follow from the URL: 1 to 100, "page" for this page alone, -1 for no limit. 0 means '
        "unset, and is answered as 3.",
    )
    selectors: dict[str, Any] | None = Field(
        default=None,
        description="Field → CSS selector on article pages, put into the recipe; with a container: on lists.",
    )
    recipe: dict[str, Any] | None = None
    kind: Kind | None = None
    max_pages: Annotated[int, Field(ge=1, le=MOST_PAGES)] | None = None
    interval_minutes: Minutes | None = None
    min_interval_minutes: Minutes | None = None
    max_interval_minutes: Minutes | None = None
    policy: PolicyName | None = None
    windows: (
        Annotated[Line, Field(max_length=4000)] | Annotated[list[dict[str, Any]], Field(max_length=MOST_WINDOWS)] | None
    ) = Field(default=None, description='In words ("mon-fri 22:00-05:00 Europe/Berlin"), or as a list of windows.')
    crawl_window_start: Hour | None = Field(default=None, description="UTC; with crawl_window_end.")
    crawl_window_end: Hour | None = None
    country: Annotated[Line, Field(min_length=2, max_length=2)] | None = None
    organisation_type: OrganisationType | None = None
    recurring: bool = True
    tags: Annotated[list[Tag], Field(max_length=MOST_TAGS)] = Field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """The fields that the caller sent."""
        return self.model_dump(exclude_unset=True)


class SourceIn(SourceChanges):
    """A whole source; omitted fields take their defaults."""

    url: Url


class SourceListIn(SourceFilterIn):
    """Filter, order and limit of a list."""

    sort: SourceSort = Field(default=SourceSort.NAME, description="`status` sorts by where the crawl job stands.")
    order: Literal["asc", "desc"] = "asc"
    limit: Limit = 50
    offset: Offset = 0


class SourceExportIn(SourceFilterIn):
    """Filter and file format of an export."""

    format: FileFormat = FileFormat.JSON


class SourceOut(BaseModel):
    """A source, its job and its latest run."""

    id: UUID
    name: str
    url: str
    enabled: bool
    priority: str | int = Field(examples=["high"])
    rate_limit: float | None
    max_depth: Literal["page"] | int
    selectors: dict[str, Any] = Field(examples=[{"container": "li.job", "title": "h2", "link": "h2 a"}])
    recipe: dict[str, Any] | None = Field(examples=[{"items": "li.job", "fields": {"title": "h2", "url": "h2 a"}}])
    kind: str | None
    max_pages: int | None
    interval_minutes: float | None
    min_interval_minutes: float | None
    max_interval_minutes: float | None
    policy: str | None
    windows: list[dict[str, Any]]
    country: str | None
    organisation_type: str | None
    recurring: bool
    tags: list[str]
    status: SourceStatus
    #: how it is doing, in the words of GET /jobs/stats
    health: SourceState
    job_id: UUID | None
    job_status: JobState | None
    #: why a run that is due or open waits for its host, and until when; null when it does not wait
    waiting: WaitingOut | None
    pause_reason: str | None
    failure_count: int
    #: quick retries of its failed run so far
    retry_count: int
    next_run_at: datetime | None
    #: why then, and what holds it back until then
    next_run_reason: str | None = Field(examples=["every 7 d, set to 7 d by a person · waits 6 h for its window"])
    last_run_at: datetime | None
    last_run_status: RunOutcome | None
    last_run_message: str | None = Field(examples=["3 pages (1 unchanged, 0 refused, 0 failed), 12 records: 2 new"])
    #: what its last run had to leave out; null when it had room for everything
    note: str | None = Field(examples=["cut short at 10 pages: 100 of about 200 records: raise max pages"])
    disabled_reason: str | None
    disabled_at: datetime | None
    disabled_by: str | None
    deleted_at: datetime | None
    warnings: list[str] = Field(
        description="What is allowed but probably not meant.",
        examples=[["max_depth 9 is deep: runs may fetch many pages. Most sources need 3 or less, and 5 is the most"]],
    )
    created_at: datetime
    updated_at: datetime

    @model_validator(mode="before")
    @classmethod
    def _in_these_words(cls, listed: ListedSource) -> dict[str, Any]:
        source, job, run = listed.source, listed.job, listed.run
        submitted = input_of(source, listed.tags)
        stored = ("disabled_reason", "disabled_at", "disabled_by", "deleted_at", "created_at", "updated_at")
        return row_from(submitted) | {
            "id": source.public_id,
            "windows": window_json.to_json(source.windows),
            "selectors": selectors_from(submitted.recipe),
            "status": listed.status,
            "health": source_state.state_of_job(job, waits=listed.waiting is not None, enabled=source.enabled),
            "job_id": job.public_id if job is not None else None,
            "job_status": source_state.status_of_job(job) if job is not None else None,
            "waiting": {"reason": listed.waiting[0], "until": listed.waiting[1]} if listed.waiting else None,
            "pause_reason": job.pause_reason if job is not None else None,
            "failure_count": job.failure_count if job is not None else 0,
            "retry_count": job.retry_count if job is not None else 0,
            "next_run_at": job.next_run_at if job is not None else None,
            "next_run_reason": reasons.sentence(job.next_run_reason) if job and job.next_run_at else None,
            "last_run_at": run.started_at if run is not None else None,
            "last_run_status": run.outcome if run is not None else None,
            "last_run_message": run.message if run is not None else None,
            "warnings": list(warnings(source)),
            "note": cut_short.note_in(run.message) if run is not None else None,
            **{name: getattr(source, name) for name in stored},
        }


@ROUTES.get("", response_model=part_of("sources", SourceOut))
async def list_sources(view: View, query: Annotated[SourceListIn, Query()]) -> Any:
    """Sources, filtered and sorted."""
    part = {"limit": query.limit, "offset": query.offset}
    now = view.clock.now()
    which = query.which(now)
    how: dict[str, Any] = {"sort": query.sort, "descending": query.order == "desc", "now": now, **part}
    page = await view.db.look(lambda db: source_list.page(db, which, **how))
    return listed("sources", page.rows, total=page.total, **part)


@ROUTES.post("", status=201, errors=(409,), response_model=SourceOut)
async def create(view: View, caller: Asking, body: SourceIn) -> Any:
    """Adds a source."""
    return await source_verbs.create(view, caller, input_from(body.row()))


@ROUTES.post("/import", response_model=ImportOut)
async def import_sources(view: View, caller: Asking, given: Uploaded) -> Any:
    """Adds the sources of a file, and reports on every row."""
    return import_out(await source_verbs.upload(view, caller, given))


@ROUTES.get("/export", response_class=Response, success="The file.")
async def export_sources(view: View, query: Annotated[SourceExportIn, Query()]) -> Response:
    """All matching sources, as a file."""
    return source_verbs.download(view, query.which(view.clock.now()), query.format)


source_routes.declare(ROUTES, SourceOut)


@ROUTES.put("/{source_id}", errors=(409,), response_model=SourceOut)
async def replace(source_id: UUID, view: View, caller: Asking, body: SourceIn) -> Any:
    """Replaces a source; omitted fields take their defaults."""
    submitted = input_from(body.row())
    work = source_verbs.altering(lambda _: submitted)
    return await source_routes.do(view, caller, source_id, work)


@ROUTES.patch("/{source_id}", errors=(409,), response_model=SourceOut)
async def change(source_id: UUID, view: View, caller: Asking, body: SourceChanges) -> Any:
    """Changes the given fields and keeps the others."""
    work = source_verbs.altering(lambda submitted: altered(submitted, body.row()))
    return await source_routes.do(view, caller, source_id, work)


@ROUTES.post("/{source_id}/test", errors=(409,), response_model=FetchTrial)
async def test(source_id: UUID, view: View) -> Any:
    """Sends a HEAD request to the site, as politely as a run would."""
    return await source_verbs.test_fetch(view, source_id)


class FeedsOut(BaseModel):
    """The feeds of a source."""

    feeds: list[SourceFeed]
    #: false: they are remembered, but LAMPLIGHTER_FEED_POLL_ENABLED is not set
    polled: bool


@ROUTES.get("/{source_id}/feeds", response_model=FeedsOut)
async def feeds(source_id: UUID, view: View) -> Any:
    """The feeds that announce changes of the source, and when each was polled."""
    return {"feeds": await source_verbs.feeds_of(view, source_id), "polled": view.settings.feed_poll_enabled}


@ROUTES.post("/{source_id}/feeds", errors=(409,), response_model=FeedsOut)
async def find_feeds(source_id: UUID, view: View, caller: Asking) -> Any:
    """Looks for the source's feeds, announced ones first, then at common paths, as politely as a run would."""
    found = await source_verbs.find_feeds(view, caller, source_id)
    return {"feeds": found, "polled": view.settings.feed_poll_enabled}


ROUTES.post("/{source_id}/simulate-extract", errors=(409,), response_model=Simulation)(source_routes.simulate_extract)


class LearnIn(Given):
    """Texts that the stored page shows, as examples of what should be read."""

    titles: Annotated[list[Text], Field(min_length=1, max_length=50, description="Titles of some records.")]
    wrong: list[Text] = Field(default=[], max_length=50, description="Texts in rows that are no records.")
    fields: dict[str, Text] = Field(
        default={}, max_length=20, description="Field -> its text in one of the rows.", examples=[{"location": "Goma"}]
    )
    next: Text | None = Field(default=None, description="The text of the link to the next page.")
    save: bool = Field(default=False, description="Make it the source's recipe.")


class LearnOut(BaseModel):
    """A recipe learned from examples."""

    recipe: dict[str, Any]
    #: the rows that it finds on the page
    rows: int
    #: the records that it finds on each stored version of the page, the newest first
    versions: list[int]
    #: the same in words
    lasting: str
    #: what looks fragile
    notes: list[str]
    #: the first records
    records: list[dict[str, Any]]
    saved: bool


@ROUTES.post("/{source_id}/learn", errors=(409,), response_model=LearnOut)
async def learn(source_id: UUID, view: View, caller: Asking, body: LearnIn) -> Any:
    """Learns a recipe from examples on the stored page; sends no request to the site."""
    pointing = pointing_at(titles=body.titles, wrong=body.wrong, fields=body.fields, next=body.next)
    context = source_verbs.change_context(view, caller)
    lesson = await source_verbs.learn(view, source_id, pointing, context, save=body.save)
    return {
        "recipe": lesson.learned(),
        "rows": len(lesson.taught.learned.rows),
        "versions": lesson.taught.counts,
        "lasting": lesson.lasting,
        "notes": lesson.taught.learned.notes,
        "records": lesson.simulation.records,
        "saved": body.save,
    }


@ROUTES.post("/{source_id}/recipe-back", errors=(409,), response_model=SourceOut)
async def recipe_back(source_id: UUID, view: View, caller: Asking) -> Any:
    """Goes back to the recipe before this one."""
    return await source_routes.do(view, caller, source_id, source_verbs.recipe_back)
