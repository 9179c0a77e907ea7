"""Imports sources from files, with a report for each row; one bad row never stops the rest."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

from lamplighter import crash_points
from lamplighter.errors import BadInput, Duplicate
from lamplighter.model.access import Stamp
from lamplighter.model.source import SourceOptions
from lamplighter.operations.sources import sources as operations
from lamplighter.operations.sources.source_fields import input_from
from lamplighter.operations.sources.source_file_formats import FileRow
from lamplighter.operations.sources.source_input import checked, checked_tags, warnings
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.sources import sources

#: rows written in one transaction
_CHUNK = 100
#: the most rows of one file
MOST_ROWS = 100_000
_LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAliases:
    """The words of a file, where they are not ours."""

    #: turns a row into one of ours
    translate: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
    #: our field -> theirs
    fields: Mapping[str, str] = field(default_factory=dict)


OURS = ColumnAliases()


class RowStatus(StrEnum):
    """What became of a row."""

    CREATED = "created"
    #: would be created, had this been no rehearsal
    VALID = "valid"
    DUPLICATE = "duplicate"
    INVALID = "invalid"


class RowReport(NamedTuple):
    """What became of one row of a file."""

    line: int
    status: RowStatus
    url: str | None = None
    #: the new source's public id
    id: str | None = None
    #: what was wrong: where, what stood there, and what would work; a row that was added may have a warning
    field: str | None = None
    value: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of a file."""

    dry_run: bool
    rows: Sequence[RowReport]

    def count(self, status: RowStatus) -> int:
        """How many rows ended so."""
        return sum(row.status is status for row in self.rows)


async def import_rows(
    db: Database, rows: Iterable[FileRow], *, dry_run: bool, stamp: Stamp, words: ColumnAliases = OURS
) -> ImportReport:
    """Adds every source that can be added, a chunk of rows in each transaction; a rehearsal adds none."""
    given = list(islice(rows, MOST_ROWS + 1))
    if len(given) > MOST_ROWS:
        raise BadInput(f"the file has more than {MOST_ROWS} rows; import it in parts")
    reports: list[RowReport] = []
    seen: set[str] = set()
    for start in range(0, len(given), _CHUNK):
        read = [_read(row, words, seen) for row in given[start : start + _CHUNK]]
        if dry_run:
            async with db.read() as connection:
                reports += await _rehearsed(connection, read)
        else:
            reports += await db.write(lambda connection, read=read: _added(connection, read, stamp=stamp))  # type: ignore[misc]
            crash_points.reached("import.after_chunk")
    return ImportReport(dry_run=dry_run, rows=reports)


class _Read(NamedTuple):
    """A row that can be added, or the report of one that cannot."""

    line: int
    url: str
    options: SourceOptions | None = None
    tags: tuple[str, ...] = ()
    report: RowReport | None = None


def _read(row: FileRow, words: ColumnAliases, seen: set[str]) -> _Read:
    url = _shown(row.values.get("url") or "")
    if row.trouble is not None:
        return _Read(row.line, url, report=RowReport(row.line, RowStatus.INVALID, message=row.trouble))
    values: Mapping[str, Any] = {}
    try:
        values = words.translate(row.values)
        url = _shown(values.get("url") or "")
        submitted = input_from(values)
        options, tags = checked(submitted), checked_tags(submitted.tags)
    except BadInput as error:
        return _Read(row.line, url, report=_refused(row, url, error, words))
    if options.url in seen:
        why = "it is in this file twice; remove one of them"
        return _Read(row.line, url, report=RowReport(row.line, RowStatus.DUPLICATE, url, field="url", message=why))
    seen.add(options.url)
    return _Read(row.line, options.url, options=options, tags=tags)


def _refused(row: FileRow, url: str, error: BadInput, words: ColumnAliases = OURS) -> RowReport:
    status = RowStatus.DUPLICATE if isinstance(error, Duplicate) else RowStatus.INVALID
    where = words.fields.get(error.field or "", error.field)
    given = row.values.get(where or "")
    value = _shown(given) if given is not None else None
    where = _shown(where) if where is not None else None
    return RowReport(row.line, status, url or None, field=where, value=value, message=str(error))


def _shown(value: object) -> str:
    """A value as a report shows it: not all of a long one, and nothing that is no text."""
    return str(value)[:_LONGEST_VALUE].encode(errors="replace").decode()


def _warning(options: SourceOptions | None) -> str | None:
    """What is allowed in the row but probably not meant."""
    return "; ".join(warnings(options)) or None if options is not None else None


async def _rehearsed(db: Connection, chunk: Sequence[_Read]) -> list[RowReport]:
    reports = []
    for read in chunk:
        if read.report is not None:
            reports.append(read.report)
        elif await sources.by_url(db, read.url) is None:
            reports.append(RowReport(read.line, RowStatus.VALID, read.url, message=_warning(read.options)))
        else:
            error = await operations.duplicate(db, read.url)
            reports.append(_refused(FileRow(read.line, {"url": read.url}), read.url, error))
    return reports


async def _added(db: Connection, chunk: Sequence[_Read], *, stamp: Stamp) -> list[RowReport]:
    reports: list[RowReport] = []
    made: dict[int, int] = {}
    for read in chunk:
        if read.options is None:
            reports += [read.report] if read.report is not None else []
            continue
        try:
            made[len(reports)] = await operations.add_checked(db, read.options, read.tags, stamp=stamp)
            reports.append(RowReport(read.line, RowStatus.CREATED, read.url, message=_warning(read.options)))
        except BadInput as error:
            reports.append(_refused(FileRow(read.line, {"url": read.url}), read.url, error))
    stored = await sources.many(db, made.values())
    for place, source_id in made.items():
        reports[place] = reports[place]._replace(id=stored[source_id].public_id)
    return reports
