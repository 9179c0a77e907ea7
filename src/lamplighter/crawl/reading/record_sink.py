"""Stores extracted records: inserts, updates or touches them, with their history and sightings."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from lamplighter.model.reading import PageRole
from lamplighter.model.record import Record
from lamplighter.model.run_log import LogAction
from lamplighter.normalise import merging
from lamplighter.rules.change import differences
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages.pages import Downloaded
from lamplighter.store.records import presence, record_changes, records, sightings, tombstones
from lamplighter.store.records.records import StoredRecord
from lamplighter.store.runs import run_log

#: a reason that a batch repeats more often than this is logged once, with the count
MOST_LINES = 20
#: what becomes of a record, the most telling first
_OUTCOMES = ("records_inserted", "records_updated", "records_unchanged", "records_skipped")
#: reasons that differ only in the address are the same
_ADDRESS = re.compile(r"https?://\S+")


class SkippedRecord(NamedTuple):
    """A record not stored, and why."""

    page: Downloaded
    #: None when it had none
    title: str | None
    reason: str


def skip_lines(skips: Iterable[SkippedRecord], *, now: datetime) -> list[dict[str, Any]]:
    """The log lines of skipped records, grouped by run and reason."""
    alike: dict[tuple[int, str], list[SkippedRecord]] = defaultdict(list)
    for skip in skips:
        alike[skip.page.run_id, _ADDRESS.sub("…", skip.reason)].append(skip)
    lines: list[dict[str, Any]] = []
    for (_, reason), group in alike.items():
        if len(group) > MOST_LINES:
            lines.append(_line(group[0], f"skipped {len(group)} records: {reason}", now, reason, count=len(group)))
        else:
            lines += [
                _line(skip, f"skipped {skip.title or 'a record without a title'}: {skip.reason}", now, reason)
                for skip in group
            ]
    return lines


def _line(skip: SkippedRecord, message: str, now: datetime, reason: str, *, count: int = 1) -> dict[str, Any]:
    page = skip.page
    return run_log.line(
        page.run_id, LogAction.RECORDS_SKIPPED, message, at=now, url=page.url, reason=reason, count=count
    )


class SeenRecord(NamedTuple):
    """A record on a page."""

    page: Downloaded
    record: Record
    url_key: str
    #: whether the page is the record's own; a list never is, whatever address its records have
    is_own: bool
    #: whether what another page says of it counts
    yields: bool = False

    @property
    def worth(self) -> tuple[bool, float]:
        """The greatest is kept."""
        return not self.yields, self.record.quality


class RecordSink:
    """Stores the records of a page batch; a new instance for each try."""

    def __init__(self, *, now: datetime, runs: Mapping[int, datetime]) -> None:
        self._now = now
        #: run -> when it began
        self._runs = runs
        #: run and record -> what became of it; a record that several pages show counts once
        self._became: dict[tuple[int, str], str] = {}
        #: run -> counter -> by how much
        self.counts: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.skips: list[SkippedRecord] = []
        #: pages that brought a new or changed record
        self.fruitful: set[int] = set()
        #: pages that show other records than before
        self.restocked: set[int] = set()
        self._history: list[dict[str, Any]] = []

    async def save(
        self,
        db: Connection,
        shown: Sequence[tuple[Downloaded, Sequence[Record]]],
        *,
        partial: Collection[int] = (),
        yielding: Collection[int] = (),
    ) -> None:
        """Stores the records of pages, for each page all that it shows; those in `partial` show only a part.

        What a page in `yielding` says does not replace what another page says of the same record.
        """
        seen = [find for page, found in shown for find in _seen(page, found, yields=page.id in yielding)]
        known = await records.hold(db, {find.record.canonical_hash for find in seen})
        kept = await self._without_removed(db, self._without_expired(seen), known)
        best = self._best(kept)
        put = await self._put(db, best, known, {find.record.canonical_hash for find in kept if not find.is_own})
        # The last are records that another process stored since we read, with better quality.
        rivals = await records.hold(db, best.keys() - known.keys() - put.keys())
        ids = {identity: each.id for there in (known, put, rivals) for identity, each in there.items()}
        again = best.keys() - put.keys()
        await records.touch(db, (ids[identity] for identity in again), now=self._now)
        for find in kept:
            self._becomes(find, "records_unchanged")
        await self._amend(db, [find for find in seen if find.record.canonical_hash not in put], known)
        await self._revive(db, best, known)
        await record_changes.write(db, self._history)
        self._count(known, await self._counted_before(db, known, shown))
        await self._show(db, shown, kept, ids, partial)

    async def _counted_before(
        self,
        db: Connection,
        known: Mapping[str, StoredRecord],
        shown: Sequence[tuple[Downloaded, Sequence[Record]]],
    ) -> set[tuple[int, int]]:
        """Run and record, for records that another page of the same run showed before."""
        recent = {
            known[identity].id
            for run_id, identity in self._became
            if identity in known and known[identity].last_seen_at >= self._runs[run_id]
        }
        return await sightings.in_runs(db, recent, self._runs.keys(), but={page.id for page, _ in shown})

    def _count(self, known: Mapping[str, StoredRecord], before: Collection[tuple[int, int]]) -> None:
        """Counts each record once in a run: a list and the record's own page show the same thing."""
        for (run_id, identity), outcome in self._became.items():
            stored, counts = known.get(identity), self.counts[run_id]
            if stored is None or (run_id, stored.id) not in before:
                counts["records_found"] += 1
                counts[outcome] += 1
            elif outcome == "records_updated" and stored.first_seen_at < self._runs[run_id]:
                counts["records_unchanged"] -= 1  # as the list showed it
                counts["records_updated"] += 1

    def _without_expired(self, seen: Iterable[SeenRecord]) -> list[SeenRecord]:
        kept = []
        for find in seen:
            expires_at = find.record.expires_at
            if expires_at is not None and expires_at <= self._now:
                self._skip(find, f"its page asked for it to be forgotten by {expires_at:%Y-%m-%d}")
            else:
                kept.append(find)
        return kept

    async def _without_removed(
        self, db: Connection, seen: Sequence[SeenRecord], known: Mapping[str, StoredRecord]
    ) -> list[SeenRecord]:
        new = {find.record.canonical_hash for find in seen} - known.keys()
        removed = await tombstones.among(db, new)
        for find in seen:
            if stone := removed.get(find.record.canonical_hash):
                self._skip(find, f"removed on {stone.created_at:%Y-%m-%d}: {stone.reason}")
        return [find for find in seen if find.record.canonical_hash not in removed]

    @staticmethod
    def _best(seen: Iterable[SeenRecord]) -> dict[str, SeenRecord]:
        """The best copy of each record."""
        best: dict[str, SeenRecord] = {}
        for find in seen:
            rival = best.get(find.record.canonical_hash)
            if rival is None or find.worth > rival.worth:
                best[find.record.canonical_hash] = find
        return best

    async def _put(
        self, db: Connection, best: Mapping[str, SeenRecord], known: Mapping[str, StoredRecord], listed: set[str]
    ) -> dict[str, records.WrittenRecord]:
        changed = {each for each, find in best.items() if each in known and _is_better(find, known[each])}
        before = await records.contents(db, (known[each].id for each in changed))
        finds = [
            records.NewRecord(find.page.source_id, find.page.id, find.url_key, identity in listed, find.record)
            for identity, find in best.items()
            if identity not in known or identity in changed
        ]
        put = await records.put(db, finds, now=self._now)
        for identity, each in put.items():
            page = best[identity].page
            self.fruitful.add(page.id)
            is_other_page = identity in known and merging.is_other_page(page.id, stored_page_id=known[identity].page_id)
            self._becomes(best[identity], _counter(each, is_other_page=is_other_page))
            if each.id in before and not is_other_page:
                after = records.content_of(best[identity].record)
                for field, old, new in differences.between(before[each.id], after):
                    self._note(each.id, page, field, old, new)
        return put

    async def _amend(self, db: Connection, seen: Iterable[SeenRecord], known: Mapping[str, StoredRecord]) -> None:
        """Updates what may change without the content."""
        rows: dict[int, dict[str, Any]] = {}
        for find in seen:
            stored = known.get(find.record.canonical_hash)
            if stored is None:
                continue
            may_tell = find.is_own or find.page.id == stored.page_id
            row = rows.get(stored.id, {})
            is_listed = stored.is_listed or not find.is_own or row.get("new_is_listed", False)
            expires_at = find.record.expires_at if may_tell else row.get("new_expires_at", stored.expires_at)
            if (find.url_key, is_listed, expires_at) != (stored.url_key, stored.is_listed, stored.expires_at):
                rows[stored.id] = {
                    "record": stored.id,
                    "new_url_key": find.url_key,
                    "new_is_listed": is_listed,
                    "new_expires_at": expires_at,
                }
        await records.amend(db, list(rows.values()))

    async def _revive(self, db: Connection, best: Mapping[str, SeenRecord], known: Mapping[str, StoredRecord]) -> None:
        by_id = {known[identity].id: identity for identity in best if identity in known}
        missed = [
            record_id
            for record_id, identity in by_id.items()
            if known[identity].missing_count or known[identity].gone_at is not None
        ]
        for record_id in await presence.revive(db, missed, now=self._now):
            identity = by_id[record_id]
            if known[identity].gone_at is not None:
                self._note(record_id, best[identity].page, "state", "gone", "present")

    async def _show(
        self,
        db: Connection,
        shown: Sequence[tuple[Downloaded, Sequence[Record]]],
        kept: Iterable[SeenRecord],
        ids: Mapping[str, int],
        partial: Collection[int],
    ) -> None:
        by_page: dict[int, dict[int, bool]] = {page.id: {} for page, _ in shown}
        for find in kept:
            by_page[find.page.id][ids[find.record.canonical_hash]] = find.is_own
        self.restocked |= await sightings.become(db, by_page, partial=partial, now=self._now)

    def _becomes(self, find: SeenRecord, counter: str) -> None:
        """Notes what became of a record, unless more became of it on another page."""
        key = find.page.run_id, find.record.canonical_hash
        before = self._became.get(key)
        if before is None or _OUTCOMES.index(counter) < _OUTCOMES.index(before):
            self._became[key] = counter

    def _skip(self, find: SeenRecord, reason: str) -> None:
        self._becomes(find, "records_skipped")
        self.skips.append(SkippedRecord(find.page, find.record.title, reason))

    def _note(self, record_id: int, page: Downloaded, field: str, before: Any, after: Any) -> None:
        origin = {"record_id": record_id, "run_id": page.run_id, "page_id": page.id, "at": self._now}
        self._history.append(origin | {"field": field[:100], "before": before, "after": after})


def _seen(page: Downloaded, found: Sequence[Record], *, yields: bool) -> Iterable[SeenRecord]:
    page_key = urls.url_key(page.url)
    for record in found:
        key = urls.url_key(record.url)
        yield SeenRecord(page, record, key, page.role is PageRole.LINK and key == page_key, yields)


def _counter(put: records.WrittenRecord, *, is_other_page: bool) -> str:
    if put.revision == 1:
        return "records_inserted"
    return "records_unchanged" if is_other_page else "records_updated"


def _is_better(find: SeenRecord, stored: StoredRecord) -> bool:
    if find.yields and merging.is_other_page(find.page.id, stored_page_id=stored.page_id):
        return False
    return merging.supersedes(
        find.record,
        find.page.id,
        stored_hash=stored.content_hash,
        stored_quality=stored.quality,
        stored_page_id=stored.page_id,
    )
