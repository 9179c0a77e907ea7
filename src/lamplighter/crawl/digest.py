"""Reads a page from bytes to records and followable links: the CPU work, done in the reader processes."""

from datetime import datetime
from typing import NamedTuple

from lamplighter.extract import ladder
from lamplighter.model.reading import Role
from lamplighter.model.recipe import Recipe
from lamplighter.model.record import Record, RecordKind, Skipped
from lamplighter.normalise.records import to_record
from lamplighter.rules import frontier


class PageWork(NamedTuple):
    """A body to be read, and what its source says about reading it."""

    page_id: int
    url: str
    source_url: str
    depth: int
    body: bytes
    content_type: str | None
    robots_tag: str | None
    #: the name by which pages address this robot
    agent: str
    kind: RecordKind | None
    recipe: Recipe
    scope: frontier.Scope


class Digest(NamedTuple):
    """What reading a page gave; plain tuples and strings, because it crosses a process boundary."""

    page_id: int
    content_hash: str
    records: list[Record]
    skipped: list[Skipped]
    #: followable links in scope, in the order of the page
    links: list[str]
    #: "next" pages
    listings: list[str]
    warnings: tuple[str, ...]


def digest_all(batch: list[PageWork], now: datetime) -> list[Digest]:
    """Reads every page of a batch."""
    return [digest(work, now) for work in batch]


def digest(work: PageWork, now: datetime) -> Digest:
    """Reads one page."""
    reading = ladder.read(
        work.body,
        url=work.url,
        content_type=work.content_type,
        recipe=work.recipe,
        kind=work.kind,
        robots_tag=work.robots_tag,
        agent=work.agent,
    )
    records: list[Record] = []
    skipped: list[Skipped] = []
    for raw in reading.records:
        made = to_record(raw, page_url=work.url, source_url=work.source_url)
        if isinstance(made, Skipped):
            skipped.append(made)
        elif reading.noindex:
            skipped.append(Skipped(reason="the page asks not to be indexed", title=made.title))
        else:
            records.append(made)
    links = list(frontier.in_scope(reading.links, depth=work.depth, scope=work.scope, now=now))
    return Digest(
        page_id=work.page_id,
        content_hash=reading.content_hash,
        records=records,
        skipped=skipped,
        links=[link.url for link in links if link.role is not Role.LISTING],
        listings=[link.url for link in links if link.role is Role.LISTING],
        warnings=reading.warnings,
    )
