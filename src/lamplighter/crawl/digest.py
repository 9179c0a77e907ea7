"""Reads a page from bytes to records and followable links: the CPU work, done in the reader processes."""

from dataclasses import replace
from datetime import datetime

from lamplighter.crawl.reader_messages import Digest, PageWork
from lamplighter.extract import ladder
from lamplighter.model.reading import Link, Reading, Role
from lamplighter.model.record import Record, Skipped
from lamplighter.normalise.dates.dates import read_when
from lamplighter.normalise.records import to_records
from lamplighter.rules import scope, usage


def digest(work: PageWork, now: datetime) -> Digest:
    """Reads one page."""
    reading = ladder.read(
        work.body,
        url=work.url,
        content_type=work.content_type,
        recipe=work.recipe,
        kind=work.kind,
        robots_tag=work.robots_tag,
        usage=work.usage,
        agent=work.agent,
    )
    expires_at = _expiry(reading, now)
    unwanted = _unwanted(reading, expires_at, now)
    records: list[Record] = []
    skipped: list[Skipped] = []
    for made in to_records(
        reading.records, page_url=work.url, source_url=work.source_url, language=reading.language, seen_at=now
    ):
        if isinstance(made, Skipped):
            skipped.append(made)
        elif unwanted is not None:
            skipped.append(Skipped(reason=unwanted, title=made.title))
        else:
            records.append(_with_conditions(made, reading, expires_at))
    leading_on = _leading_on(reading, work.role)
    links = scope.in_scope(leading_on, depth=work.depth, scope=work.scope, now=now)
    too_deep = scope.too_deep(leading_on, depth=work.depth, scope=work.scope)
    return Digest(
        page_id=work.page_id,
        content_hash=reading.content_hash,
        records=records,
        skipped=skipped,
        links=[link.url for link in links if link.role is not Role.LISTING],
        listings=[link.url for link in links if link.role is Role.LISTING],
        # A recipe is written for the listing; what it does not find on the pages behind it is no news.
        warnings=reading.warnings + (reading.recipe_warnings if work.depth == 0 else ()),
        obstacle=reading.obstacle,
        usage=reading.usage,
        noarchive=reading.asked.noarchive,
        ttl=reading.ttl,
        changed_at={link.url: link.changed_at for link in links if link.changed_at is not None},
        is_partial=work.recipe.api is not None and work.recipe.api.since is not None,
        feeds=reading.feeds,
        too_deep=too_deep,
        elsewhere=len(leading_on) - len(links) - too_deep,
    )


def _leading_on(reading: Reading, role: Role) -> tuple[Link, ...]:
    """The page's links. What an index of sitemaps names that another index named is a step further, like any link:
    indexes that lead to ever further indexes come to an end by that."""
    if role is not Role.LISTING or reading.next_page is not None:
        return reading.links
    return tuple([replace(link, role=Role.LINK) if link.role is Role.LISTING else link for link in reading.links])


def _expiry(reading: Reading, now: datetime) -> datetime | None:
    """When the page no longer wants to be known; None when it says nothing, or nothing that can be understood."""
    written = reading.asked.unavailable_after
    when = read_when(written, language="en", seen_at=now) if written else None
    return when.moment if when is not None else None


def _unwanted(reading: Reading, expires_at: datetime | None, now: datetime) -> str | None:
    """Why the records of this page must not be kept; None when they may."""
    if reading.asked.noindex:
        return "the page asks not to be indexed"
    if expires_at is not None and expires_at <= now:
        return f"the page asked to be forgotten after {reading.asked.unavailable_after}"
    if usage.forbids_search(reading.usage):
        return "its owner does not want it searchable"
    return None


def _with_conditions(record: Record, reading: Reading, expires_at: datetime | None) -> Record:
    """The record with what its page says about keeping and using it."""
    if reading.usage is None and expires_at is None:
        return record
    fields = {**record.fields, "usage": usage.as_mapping(reading.usage)} if reading.usage else record.fields
    return replace(record, fields=fields, expires_at=expires_at)
