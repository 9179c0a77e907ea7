"""Live events for a client: runs that start and end, jobs that change state."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import live_changes
from lamplighter.store.runs.live_changes import ReadMarks, SeenJob, SeenRun

#: what an act leads to (automation takes up an event within seconds) is looked for this long
_CONSEQUENCES = timedelta(seconds=15)


class LiveEventKind(StrEnum):
    """What may happen."""

    STARTED = "execution_started"
    FINISHED = "execution_finished"
    JOB_CHANGED = "job_changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEvent:
    """Something that happened."""

    kind: LiveEventKind
    #: the run that began or ended, or the job as it stands now
    about: SeenRun | SeenJob


class LiveWatch:
    """Remembers what was sent, so that each poll returns only new events, from now on."""

    def __init__(self, marks: ReadMarks, going_on: set[int]) -> None:
        self._marks = marks
        self._going_on = going_on
        #: source -> until when its job is looked at
        self._watched: dict[int, datetime] = {}
        #: source -> its job as last shown
        self._last_shown: dict[int, SeenJob] = {}

    @classmethod
    async def begun(cls, db: Connection) -> "LiveWatch":
        """A watch that starts now."""
        await live_changes.at_one_moment(db)
        return cls(await live_changes.marks(db), await live_changes.open_runs(db))

    async def look(self, db: Connection, *, now: datetime) -> list[LiveEvent]:
        """What has happened since the last look."""
        await live_changes.at_one_moment(db)
        runs = await self._runs(db)
        acted_on, self._marks = await live_changes.sources_acted_on(db, self._marks)
        for source_id in acted_on | {each.about.source_id for each in runs}:
            self._watched[source_id] = now + _CONSEQUENCES
        return runs + await self._jobs(db, now=now)

    async def _runs(self, db: Connection) -> list[LiveEvent]:
        going_on = await live_changes.open_runs(db)
        begun = set(await live_changes.runs_after(db, self._marks.run))
        self._marks = self._marks._replace(run=max(begun, default=self._marks.run))
        started = (begun | going_on) - self._going_on
        ended = (self._going_on | started) - going_on
        self._going_on = going_on
        if not started and not ended:
            return []
        seen = await live_changes.runs(db, started | ended)
        return [LiveEvent(kind=LiveEventKind.STARTED, about=run) for run in seen if run.id in started] + [
            LiveEvent(kind=LiveEventKind.FINISHED, about=run)
            for run in seen
            if run.id in ended and run.finished_at is not None
        ]

    async def _jobs(self, db: Connection, *, now: datetime) -> list[LiveEvent]:
        self._watched = {source_id: until for source_id, until in self._watched.items() if until > now}
        self._last_shown = {source_id: job for source_id, job in self._last_shown.items() if source_id in self._watched}
        if not self._watched:
            return []
        seen = [job for job in await live_changes.jobs(db, self._watched) if self._last_shown.get(job.source_id) != job]
        self._last_shown |= {job.source_id: job for job in seen}
        return [LiveEvent(kind=LiveEventKind.JOB_CHANGED, about=job) for job in seen]
