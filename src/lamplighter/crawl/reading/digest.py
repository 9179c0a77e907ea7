"""Parses a page's body into records and links: the CPU work, done in the reader processes."""

from dataclasses import replace
from datetime import datetime

from lamplighter.crawl.reading.reader_messages import Digest, PageWork
from lamplighter.extract import ladder
from lamplighter.model.reading import Link, PageRole, Reading
from lamplighter.model.record import Record, RejectedRecord
from lamplighter.normalise.dates.dates import read_when
from lamplighter.normalise.records import to_records
from lamplighter.rules.robots import usage
from lamplighter.rules.urls import scope


def digest(work: PageWork, now: datetime) -> Digest:
    """Parses a page."""
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
    skipped: list[RejectedRecord] = []
    for made in to_records(
        reading.records, page_url=work.url, source_url=work.source_url, language=reading.language, seen_at=now
    ):
        if isinstance(made, RejectedRecord):
            skipped.append(made)
        elif unwanted is not None:
            skipped.append(RejectedRecord(reason=unwanted, title=made.title))
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
        links=[link.url for link in links if link.role is not PageRole.LISTING],
        listings=[link.url for link in links if link.role is PageRole.LISTING],
        # A recipe is written for the listing; ignore what it does not find on linked pages.
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


def _leading_on(reading: Reading, role: PageRole) -> tuple[Link, ...]:
    """The page's links. Listings of a sitemap index found in another index count as links, one level deeper:
    so the depth limit ends a chain of indexes."""
    if role is not PageRole.LISTING or reading.next_page is not None:
        return reading.links
    return tuple(
        [replace(link, role=PageRole.LINK) if link.role is PageRole.LISTING else link for link in reading.links]
    )


def _expiry(reading: Reading, now: datetime) -> datetime | None:
    """The page's `unavailable_after` time; None when it has none, or one that cannot be parsed."""
    written = reading.asked.unavailable_after
    when = read_when(written, language="en", seen_at=now) if written else None
    return when.moment if when is not None else None


def _unwanted(reading: Reading, expires_at: datetime | None, now: datetime) -> str | None:
    """Why this page's records must not be stored; None when they may."""
    if reading.asked.noindex:
        return "the page asks not to be indexed"
    if expires_at is not None and expires_at <= now:
        return f"the page asked to be forgotten after {reading.asked.unavailable_after}"
    if usage.forbids_search(reading.usage):
        return "its owner does not want it searchable"
    return None


def _with_conditions(record: Record, reading: Reading, expires_at: datetime | None) -> Record:
    """The record with its page's expiry and usage terms."""
    if reading.usage is None and expires_at is None:
        return record
    fields = {**record.fields, "usage": usage.as_mapping(reading.usage)} if reading.usage else record.fields
    return replace(record, fields=fields, expires_at=expires_at)
