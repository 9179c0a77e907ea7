"""Exports sources into files that `source_file_formats` reads again, a chunk at a time however many there are."""

import csv
import io
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

import orjson

from lamplighter.operations.sources.source_fields import COLUMNS, row_from
from lamplighter.operations.sources.source_file_formats import OPML_COLUMNS, OPML_PREFIX, OPML_SPACE, FileFormat
from lamplighter.operations.sources.source_input import NewSource, input_of
from lamplighter.rules.formats import csv_cell
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.sources import source_lists, sources, tags
from lamplighter.store.sources.source_lists import SourceFilter

_CHUNK = 500
Row = Mapping[str, Any]
_USUAL = row_from(NewSource(url=""))


class _Form(NamedTuple):
    """How a format begins, writes a row, parts two of them, and ends."""

    media_type: str
    write: Callable[[Row], str]
    opening: str = ""
    between: str = ""
    closing: str = ""


async def export(db: Database, which: SourceFilter, form: FileFormat) -> AsyncIterator[str]:
    """The file, in parts; nothing is held between two of them."""
    chosen = _FORMS[form]
    yield chosen.opening
    after, is_first = 0, True
    while True:
        async with db.read() as connection:
            ids = await source_lists.ids_after(connection, which, after, limit=_CHUNK)
            rows = await rows_of(connection, ids)
        if not ids:
            break
        part = chosen.between.join(chosen.write(row) for row in rows)
        yield part if is_first else chosen.between + part
        after, is_first = ids[-1], False
    yield chosen.closing


async def rows_of(db: Connection, ids: list[int]) -> list[dict[str, Any]]:
    """These sources as rows, each with its public id."""
    stored = await sources.many(db, ids)
    labels = await tags.of_sources(db, ids)
    found = [stored[source_id] for source_id in ids if source_id in stored]
    return [{"id": source.public_id, **row_from(input_of(source, labels.get(source.id, ())))} for source in found]


def media_type(form: FileFormat) -> str:
    """What kind of file a browser gets."""
    return _FORMS[form].media_type


def _csv_line(cells: list[str]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(cells)
    return text.getvalue()


def _csv(row: Row) -> str:
    cells = {**row, "tags": ";".join(row["tags"])}
    return _csv_line([csv_cell.safe(cells[name]) for name in ("id", *COLUMNS)])


def _json(row: Row) -> str:
    return orjson.dumps(row).decode()


def _own_attributes(row: Row) -> str:
    """What OPML has no attribute for and differs from the default, under a name space of ours."""
    said = {name: row[name] for name in OPML_COLUMNS if row[name] != _USUAL[name]}
    if not said:
        return ""
    written = (f" {OPML_PREFIX}:{name}={quoteattr(_shown(_cell(value)))}" for name, value in said.items())
    return f" xmlns:{OPML_PREFIX}={quoteattr(OPML_SPACE)}" + "".join(written)


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return orjson.dumps(value).decode()
    return "" if value is None else str(value)


def _outline(row: Row) -> str:
    name = quoteattr(_shown(row["name"]))
    is_feed = (row["recipe"] or {}).get("expects") == "feed"
    address = f'type="rss" xmlUrl={quoteattr(row["url"])}' if is_feed else f'type="link" url={quoteattr(row["url"])}'
    category = f" category={quoteattr(','.join(row['tags']))}" if row["tags"] else ""
    return f"    <outline text={name} title={name} {address}{category}{_own_attributes(row)}/>\n"


def _shown(text: str) -> str:
    """Without what XML does not allow."""
    return "".join(character for character in text if character.isprintable())


_FORMS = {
    FileFormat.CSV: _Form("text/csv", _csv, opening=_csv_line(["id", *COLUMNS])),
    FileFormat.JSON: _Form("application/json", _json, opening="[\n", between=",\n", closing="\n]\n"),
    FileFormat.JSONL: _Form("application/x-ndjson", lambda row: _json(row) + "\n"),
    FileFormat.URLS: _Form("text/plain", lambda row: f"{row['url']}\n"),
    FileFormat.OPML: _Form(
        "text/x-opml",
        _outline,
        opening='<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n  <head><title>Sources</title></head>\n'
        "  <body>\n",
        closing="  </body>\n</opml>\n",
    ),
}
