"""`lamplighter extract`: extracts records from files or URLs; stores nothing."""

import mimetypes
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from lamplighter.cli.records import records_table
from lamplighter.cli.terminal.console import FAILED, answer, print_json_line, say
from lamplighter.cli.terminal.options import (
    Json,
    KindOption,
    Recipe,
    RecordsAre,
    is_url,
    load_settings,
    read_bytes,
    read_recipe,
)
from lamplighter.errors import BadInput
from lamplighter.extract import ladder
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.extract.single.article import as_article
from lamplighter.model.reading import Reading
from lamplighter.model.recipe import EMPTY
from lamplighter.model.record import RawRecord, Record, RecordKind, RejectedRecord
from lamplighter.model.visit import Fetched
from lamplighter.normalise.records import to_records
from lamplighter.operations.records.records import unstored_to_json
from lamplighter.rules.formats.plural import counted
from lamplighter.rules.urls import urls

app = typer.Typer(add_completion=False)
#: the URL of a file when none is given: a reserved name that no site has (RFC 6761)
_NOWHERE = "https://file.invalid/"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Body:
    """A body to parse."""

    given: str
    url: str
    content: bytes
    content_type: str | None
    robots_tag: str | None = None


@app.command()
def extract(
    paths_or_urls: Annotated[list[str], typer.Argument(metavar="PATH_OR_URL…", help="Files, or URLs to fetch.")],
    base_url: Annotated[str | None, typer.Option(metavar="URL", help="The URL of a file, for its links.")] = None,
    kind: RecordsAre = None,
    recipe: Recipe = None,
    as_json: Json = False,
) -> None:
    """Extract the records, links and feeds of a page; stores nothing."""
    wanted = None if kind in (None, KindOption.AUTO) else RecordKind(str(kind))
    instructions = parse_recipe(given) if (given := read_recipe(recipe)) is not None else EMPTY
    bodies = _bodies(paths_or_urls, base_url)
    now = datetime.now(UTC)
    for body in bodies:
        reading = ladder.read(
            body.content,
            url=body.url,
            content_type=body.content_type,
            recipe=instructions,
            kind=wanted,
            robots_tag=body.robots_tag,
        )
        made = _normalised(reading.records, body, reading, now)
        records = [record for record in made if isinstance(record, Record)]
        if as_json:
            print_json_line(_form(body, reading, records, wanted=wanted, now=now))
        else:
            _show(body, reading, records, [skipped for skipped in made if isinstance(skipped, RejectedRecord)])
    if len(bodies) < len(paths_or_urls):
        raise typer.Exit(FAILED)


def _bodies(paths_or_urls: Sequence[str], base_url: str | None) -> list[_Body]:
    """All readable bodies in the given order; invalid arguments are refused before any request."""
    base = urls.normalise(base_url) if base_url is not None else None
    targets = {given: urls.parse(given).href for given in paths_or_urls if is_url(given)}
    bodies = {given: _file(given, base) for given in paths_or_urls if given not in targets}
    if targets:
        bodies |= _fetched(targets)
    return [bodies[given] for given in paths_or_urls if given in bodies]


def _file(given: str, base: str | None) -> _Body:
    path = Path(given)
    if path.is_dir():
        raise BadInput(f"{given!r} is a folder; name the files in it")
    kind, packing = mimetypes.guess_type(path.name)
    if packing is not None:
        raise BadInput(f"{given!r} is packed with {packing}; unpack it first")
    url = base or urls.normalise(_NOWHERE + quote(os.fsencode(path.name)))
    # A file name may have bytes that are not text; the output shows a replacement character for them.
    named = os.fsencode(given).decode("utf-8", "replace")
    return _Body(given=named, url=url, content=read_bytes(path), content_type=kind)


def _fetched(targets: dict[str, str]) -> dict[str, _Body]:
    from lamplighter.cli.terminal import fetching  # loads the fetch layer, which files do not need

    bodies: dict[str, _Body] = {}
    for given, visit in zip(targets, fetching.fetch_all(load_settings(), list(targets.values())), strict=True):
        if isinstance(visit, Fetched):
            bodies[given] = _Body(
                given=given,
                url=visit.url,
                content=visit.body,
                content_type=visit.content_type,
                robots_tag=visit.robots_tag,
            )
        else:
            say(f"{given}: {fetching.trouble(visit)}")
    return bodies


def _normalised(
    raws: Sequence[RawRecord], body: _Body, reading: Reading, now: datetime
) -> list[Record | RejectedRecord]:
    # The page may be a record's own: only the site's front page is taken for the place that lists them.
    site = f"{urls.parse(body.url).origin}/"
    return to_records(raws, page_url=body.url, source_url=site, language=reading.language, seen_at=now)


def _form(
    body: _Body, reading: Reading, records: Sequence[Record], *, wanted: RecordKind | None, now: datetime
) -> dict[str, Any]:
    kinds = Counter(record.kind for record in records)
    return {
        "input": body.given,
        "url": body.url,
        "kind": wanted or (kinds.most_common(1)[0][0] if kinds else None),
        "method": reading.method,
        "records": [unstored_to_json(record) for record in records],
        "links": [link.url for link in reading.links],
        "next_page": reading.next_page,
        "feeds": list(reading.feeds),
        "article": _article(body, reading, records, now),
    }


def _article(body: _Body, reading: Reading, records: Sequence[Record], now: datetime) -> dict[str, Any]:
    """The page as an article; for a list page, only its title and language."""
    articles = [record for record in records if record.kind is RecordKind.ARTICLE]
    own = [record for record in articles if record.url in (body.url, reading.canonical)] or articles
    article = own[0] if len(own) == 1 else _read_as_article(body, reading, now)
    if article is None:
        return {
            "title": reading.title,
            "text": None,
            "author": None,
            "published_at": None,
            "language": reading.language,
        }
    return {
        "title": article.title,
        "text": (article.fields.get("text") or article.description or "")[: reading.directives.max_snippet] or None,
        "author": article.fields.get("author"),
        "published_at": article.published_at.isoformat() if article.published_at is not None else None,
        "language": article.language or reading.language,
    }


def _read_as_article(body: _Body, reading: Reading, now: datetime) -> Record | None:
    """The fields of a text page that is not an article, such as a posting or a product."""
    if len(reading.records) > 1 or reading.obstacle is not None:
        return None
    raw = as_article(body.content, url=body.url, content_type=body.content_type)
    if raw is None:
        return None
    return next((made for made in _normalised([raw], body, reading, now) if isinstance(made, Record)), None)


def _show(body: _Body, reading: Reading, records: Sequence[Record], skipped: Sequence[RejectedRecord]) -> None:
    answer(f"{body.given}: {counted(len(records), 'record')}" + (f" by {reading.method}" if reading.method else ""))
    if records:
        records_table.show([unstored_to_json(record) for record in records])
    for skip in skipped:
        answer(f"  skipped {skip.title or 'a record without a title'}: {skip.reason}")
    answer(
        f"  {counted(len(reading.links), 'link')}" + (f", next page {reading.next_page}" if reading.next_page else "")
    )
    if reading.because:
        answer(f"  read as a list: {reading.because}")
    for feed in reading.feeds:
        answer(f"  feed {feed}")
    if reading.directives.noindex:
        answer("  the page asks not to be indexed: a crawl would store none of its records")
    if reading.obstacle:
        answer(f"  this is {reading.obstacle}, not content")
    for warning in reading.warnings + reading.recipe_warnings:
        answer(f"  note: {warning}")
