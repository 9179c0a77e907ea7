"""Files of sources: CSV, JSON, JSON lines, OPML and lists of URLs, read row by row."""

import csv
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import orjson
from lxml import etree

from lamplighter.errors import BadInput
from lamplighter.extract.guarded_xml import GUARDS
from lamplighter.operations.sources.source_fields import COLUMNS
from lamplighter.rules.formats import csv_cell

_DELIMITERS = (",", ";", "\t")
#: what an outline has of a source beyond OPML, in a name space of ours: other programs ignore it
OPML_PREFIX, OPML_SPACE = "lamplighter", "urn:lamplighter:source"
_OPML_OWN = ("name", "url", "tags")
OPML_COLUMNS = tuple(name for name in COLUMNS if name not in _OPML_OWN)


class FileFormat(StrEnum):
    """How sources stand in a file."""

    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    OPML = "opml"
    #: one URL on each line
    URLS = "urls"


class FileRow(NamedTuple):
    """One source in a file, or what is wrong with it."""

    #: where it stands: its line, or in a JSON list its place
    line: int
    values: Mapping[str, Any]
    trouble: str | None = None


def guess(text: str) -> FileFormat:
    """How a file most likely says it."""
    start = text.lstrip("\ufeff \t\r\n")
    first = start.partition("\n")[0].strip()
    if start.startswith("<"):
        return FileFormat.OPML
    if start.startswith("["):
        return FileFormat.JSON
    if start.startswith("{"):
        return FileFormat.JSONL if _is_whole_object(first) else FileFormat.JSON
    return FileFormat.URLS if "://" in first or first.startswith("#") else FileFormat.CSV


def read(text: str, form: FileFormat) -> Iterator[FileRow]:
    """The rows of a file; only a file that is none of this format at all is refused as a whole."""
    return _READERS[form](text.removeprefix("\ufeff"))


def _is_whole_object(line: str) -> bool:
    try:
        return "sources" not in orjson.loads(line)
    except orjson.JSONDecodeError:
        return False


def _read_csv(text: str) -> Iterator[FileRow]:
    header = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(_DELIMITERS, key=header.count)
    lines = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    names: list[str] | None = None
    while True:
        began = lines.line_num + 1
        try:
            cells = next(lines)
        except StopIteration:
            break
        except csv.Error as error:
            yield FileRow(began, {}, f"this line is not CSV ({error}); quote cells that contain quotes")
            continue
        if not any(cell.strip() for cell in cells):
            continue
        if names is None:
            names = [cell.strip().lower().replace(" ", "_") for cell in cells]
        elif len(cells) > len(names):
            yield FileRow(
                began, {}, f"it has {len(cells)} cells, but the first line has {len(names)}; quote cells with commas"
            )
        else:
            found = zip(names, (csv_cell.as_written(cell.strip()) for cell in cells), strict=False)
            yield FileRow(began, {name: cell for name, cell in found if cell and name})
    if names is None:
        raise BadInput("the file is empty; its first line names the columns, such as name,url,tags")


def _read_json(text: str) -> Iterator[FileRow]:
    try:
        data = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BadInput(f"the file is not JSON: {error}; give a list of objects") from None
    yield from from_json(data)


def from_json(data: Any) -> Iterator[FileRow]:
    """The rows of a list of objects, or of an object that holds one as its `sources`."""
    items = data.get("sources") if isinstance(data, dict) else data
    if not isinstance(items, list):
        raise BadInput('the file has no list of sources; use [{…}, …] or {"sources": [{…}, …]}')
    for number, item in enumerate(items, start=1):
        yield _object(number, item)


def _read_json_lines(text: str) -> Iterator[FileRow]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield _object(number, orjson.loads(line))
        except orjson.JSONDecodeError as error:
            yield FileRow(number, {}, f"this line is not JSON: {error}")


def _object(number: int, item: Any) -> FileRow:
    if isinstance(item, str):
        return FileRow(number, {"url": item})
    if not isinstance(item, dict):
        return FileRow(number, {}, f'{str(item)[:50]!r} is not an object; write {{"url": …}}')
    return FileRow(number, item)


def _read_urls(text: str) -> Iterator[FileRow]:
    for number, line in enumerate(text.splitlines(), start=1):
        url = line.strip()
        if url and not url.startswith("#"):
            yield FileRow(number, {"url": url})


def _read_opml(text: str) -> Iterator[FileRow]:
    try:
        root = etree.fromstring(text.encode(errors="replace"), etree.XMLParser(encoding="utf-8", **GUARDS))
    except etree.XMLSyntaxError as error:
        raise BadInput(f"the file is not OPML: {error.msg}") from None
    if root is None or root.tag != "opml":
        raise BadInput("the file is XML, but not OPML; its first element is <opml>")
    for outline in root.iter("outline"):
        feed = outline.get("xmlUrl") or outline.get("xmlurl")
        url = feed or outline.get("url") or outline.get("htmlUrl")
        if not url:
            continue
        values: dict[str, Any] = {"url": url, "tags": _folders(outline)}
        if name := outline.get("title") or outline.get("text"):
            values["name"] = name
        own = {name: outline.get(f"{{{OPML_SPACE}}}{name}") for name in OPML_COLUMNS}
        values |= {name: value for name, value in own.items() if value is not None}
        if feed:
            values["expects"] = "feed"
        line: Any = outline.sourceline
        yield FileRow(line or 0, values)


def _folders(outline: Any) -> list[str]:
    """The outlines around one, and its own categories: what feed readers have instead of tags."""
    above = [each.get("title") or each.get("text") or "" for each in outline.iterancestors("outline")]
    names = [*above, *(outline.get("category") or "").split(",")]
    return sorted({name.replace("/", " ").strip() for name in names} - {""})


_READERS = {
    FileFormat.CSV: _read_csv,
    FileFormat.JSON: _read_json,
    FileFormat.JSONL: _read_json_lines,
    FileFormat.OPML: _read_opml,
    FileFormat.URLS: _read_urls,
}
