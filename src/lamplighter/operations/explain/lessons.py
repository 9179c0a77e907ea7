"""Lessons: learns a source's recipe from examples on a stored page; sends no request and stores nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.crawl.reading.reader_messages import LessonDigest, LessonWork, ShownWork
from lamplighter.crawl.reading.reader_pool import NoReader, ReaderPool, Unreadable
from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.extract.recipes.recipe import parse_recipe, recipe_to_json
from lamplighter.extract.teaching.lesson import (
    MEANINGS,
    MOST_EXAMPLES,
    NEXT,
    TAUGHT_FIELDS,
    TITLE,
    WRONG,
    Example,
    TextExample,
)
from lamplighter.model.access import Stamp
from lamplighter.model.record import RecordKind
from lamplighter.model.source import Source
from lamplighter.operations.explain.trials import Simulation, TrialBody, simulation_of, work_of
from lamplighter.operations.sources import sources
from lamplighter.ports import Archive
from lamplighter.rules.urls import urls
from lamplighter.store.access import audit_log
from lamplighter.store.access.audit_log import AuditEntry, AuditFilter
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import page_versions, pages
from lamplighter.store.pages.page_versions import Version
from lamplighter.store.sources import list_positions

#: versions on which a recipe is tried, the newest
MOST_VERSIONS = 20
#: bytes of all of them together
_MOST_BYTES = 16 * 1024 * 1024
#: records that a lesson shows
SHOWN = 12
#: changes of a source in which an earlier recipe is looked for
_MOST_CHANGES = 200


class Pointing(NamedTuple):
    """What somebody points at."""

    examples: tuple[Example, ...] = ()
    texts: tuple[TextExample, ...] = ()
    #: the element that is pressed now; None for none
    press: int | None = None
    #: what it means; empty to guess
    meaning: str = ""
    #: learn from what the last good version had and the page still shows
    from_last_good: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """A version of a stored page."""

    page_id: int
    body: TrialBody
    version: Version
    #: the newest first, this one among them
    versions: Sequence[Version]
    #: how many are stored
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """The state of a lesson."""

    taught: LessonDigest
    #: what the page gives with what was learned; without it under the recipe before
    simulation: Simulation
    #: the learned recipe as JSON; None as long as nothing was learned
    recipe: dict[str, Any] | None
    #: how many records it finds on how many versions
    lasting: str
    #: the last version from which the recipe before read what it no longer reads; None without one
    last_good: Version | None = None

    def learned(self) -> dict[str, Any]:
        """The learned recipe; BadInput says why there is none."""
        if self.recipe is None or self.taught.trouble is not None:
            raise BadInput(self.taught.trouble or "nothing was learned", field=self.taught.field)
        return self.recipe


class Lessons:
    """Teaches recipes on stored pages."""

    def __init__(self, db: Database, *, pool: ReaderPool, archive: Archive, agent: str) -> None:
        self._db = db
        self._pool = pool
        self._archive = archive
        self._agent = agent

    async def stored(self, source: Source, *, url: str | None = None, number: int | None = None) -> StoredPage:
        """A version of a page of the source, its start page and the newest version unless others are named."""
        target = url or source.url
        key = urls.url_key(target)
        async with self._db.read() as db:
            page = (await pages.known(db, [key])).get(key, {}).get(source.id)
            versions, total = await page_versions.of_page(db, page.id, limit=200, offset=0) if page else ([], 0)
        wanted = next((each for each in versions if number in (None, each.number)), None)
        if page is None or wanted is None:
            which = f"version {number} of this page" if number is not None and versions else "this page"
            raise NotPossible(f"{which} is not stored; run the source, then try again", code="page_not_stored")
        content = await self._archive.get(wanted.key)
        if content is None:
            raise NotFound(f"version {wanted.number} is no longer in the archive", code="version_not_found")
        held = page.body
        is_current = held is not None and held.key == wanted.key
        content_type = held.content_type if held is not None else None
        robots_tag = held.robots_tag if held is not None and is_current else None
        body = TrialBody(target, content, content_type, robots_tag, None, from_archive=True)
        return StoredPage(page_id=page.id, body=body, version=wanted, versions=versions, total=total)

    async def teach_stored(self, source: Source, page: StoredPage, pointing: Pointing, *, now: datetime) -> Lesson:
        """The lesson on a stored page; the learned recipe is tried on all its versions."""
        tried: list[Version] = []
        bodies: list[bytes] = []
        newest = page.versions[:MOST_VERSIONS]
        for version, content in zip(newest, await self._archive.get_all([each.key for each in newest]), strict=True):
            if content is not None and sum(map(len, bodies)) + len(content) <= _MOST_BYTES:
                tried.append(version)
                bodies.append(content)
        older = sum(each.number >= page.version.number for each in tried)
        lesson = await self.teach(
            page.body,
            pointing,
            source_url=source.url,
            recipe=source.recipe,
            kind=source.kind,
            versions=bodies,
            older=older,
            now=now,
        )
        good = lesson.taught.last_good
        return replace(
            lesson,
            lasting=lasting(lesson.taught.counts, total=page.total),
            last_good=tried[older + good.number] if good is not None else None,
        )

    async def teach(
        self,
        body: TrialBody,
        pointing: Pointing,
        *,
        source_url: str,
        recipe: Any = None,
        kind: RecordKind | None,
        versions: Sequence[bytes] = (),
        older: int = 0,
        now: datetime,
    ) -> Lesson:
        """The lesson on any page."""
        async with self._db.read() as db:
            lists = await list_positions.of_address(db, source_url, kind)
        page = work_of(body, source_url, parse_recipe(dict(recipe or {})), kind, agent=self._agent, lists=lists)
        work = LessonWork(page=page, versions=tuple(versions), older=older, **pointing._asdict())
        try:
            taught = await self._pool.teach(work, now=now)
        except (Unreadable, NoReader) as error:
            taught = LessonDigest(trouble=str(error))
        simulation = (
            simulation_of(body.url, taught.digest, from_archive=True, shown=SHOWN)
            if taught.digest is not None
            else Simulation(url=body.url, trouble=taught.trouble)
        )
        learned = taught.learned.recipe
        return Lesson(
            taught=taught,
            simulation=simulation,
            recipe=recipe_to_json(learned) if learned is not None else None,
            lasting=lasting(taught.counts, total=len(versions)),
        )

    async def show(self, body: TrialBody, *, head: str, foot: str, with_styles: bool, now: datetime) -> str:
        """The page as HTML that does nothing, with our own parts in it."""
        work = ShownWork(body.content, body.content_type, head, foot, with_styles)
        try:
            return await self._pool.show(work, now=now)
        except (Unreadable, NoReader) as error:
            raise NotPossible(f"the page cannot be shown: {error}", code="page_unreadable") from None


def lasting(counts: Sequence[int], *, total: int) -> str:
    """How many records a recipe finds on the versions of a page, for people; `total` versions are stored."""
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    rows = f"{least} to {most} rows" if least < most else f"{most} {'row' if most == 1 else 'rows'}"
    if total == 1:
        return f"matches {rows} on the one stored version"
    versions = f"{total} versions" if len(counts) == total else f"the newest {len(counts)} of {total} versions"
    if least:
        return f"matches {rows} on each of {versions}"
    empty = counts.count(0)
    some = min((count for count in counts if count), default=0)
    rest = f"; {some} to {most} rows on the others" if some else ""
    return f"matches nothing on {empty} of {versions}{rest}"


def pointing_at(
    *,
    titles: Sequence[str],
    wrong: Sequence[str] = (),
    fields: Mapping[str, str] | None = None,
    next: str | None = None,
) -> Pointing:
    """What somebody names by texts of the page."""
    named = [(TITLE, text) for text in titles] + [(WRONG, text) for text in wrong] + list((fields or {}).items())
    if not titles:
        raise BadInput("give the title of at least one record as the page shows it", field="titles")
    if next is not None:
        named.append((NEXT, next))
    if len(named) > MOST_EXAMPLES:
        raise BadInput(f"{len(named)} examples were given; use up to {MOST_EXAMPLES}", field="titles")
    unknown = [name for name, _ in named if name not in MEANINGS]
    if unknown:
        raise BadInput(f"{unknown[0][:50]!r} cannot be taught; use {', '.join(TAUGHT_FIELDS)}", field="fields")
    return Pointing(texts=tuple(TextExample(name, text) for name, text in named))


async def earlier_recipe(db: Connection, source: Source) -> AuditEntry | None:
    """The change of the source that replaced the recipe before this one; None if there was no other."""
    wanted = AuditFilter(action="source.change", subject=source.url)
    changes = await audit_log.listed(db, wanted, limit=_MOST_CHANGES, offset=0)
    return next((each for each in changes if "recipe" in (each.before or {})), None)


async def go_back(db: Connection, source: Source, *, source_defaults: SourceDefaults, stamp: Stamp) -> None:
    """Makes the recipe before this one the source's recipe; doing it twice goes forth again."""
    earlier = await earlier_recipe(db, source)
    if earlier is None or earlier.before is None:
        raise NotPossible("this source had no other recipe before", code="no_earlier_recipe")
    recipe = earlier.before["recipe"]
    await sources.change(
        db,
        source,
        lambda submitted: replace(submitted, recipe=recipe),
        source_defaults=source_defaults,
        stamp=stamp,
    )
