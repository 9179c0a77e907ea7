"""What pages do we judge reading by, and what do we make of each? The pages stand in tests/corpus, see its README."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from lamplighter.extract.ladder import read
from lamplighter.model.reading import Reading
from lamplighter.model.record import Record, RecordKind
from lamplighter.normalise.records import to_records
from lamplighter.rules.urls.urls import parse

CORPUS: Final = Path(__file__).resolve().parent.parent / "tests" / "corpus"
_EXPECTED: Final = "expected.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A page, and what a careful person takes from it."""

    name: str
    body: bytes
    url: str
    content_type: str
    #: when the page was fetched: what "3 days ago" counts from
    seen_at: datetime
    #: listing, detail, article, feed, api, sitemap or negative
    page_class: str
    #: what its records are; None where people would argue
    kind: RecordKind | None
    #: the kind that the operator asked for; None lets the page tell
    wanted: RecordKind | None
    records: tuple[Mapping[str, Any], ...]
    #: fields on which the page leaves room for argument
    not_judged: frozenset[str]
    #: the running text of an article
    text: str | None
    #: the next page of a listing where one is evident; None is not judged
    next_page: str | None
    #: what a sitemap leads to
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What we made of a case, and what it cost."""

    case: Case
    reading: Reading
    records: tuple[Record, ...]
    cpu: timedelta


def cases(corpus: Path = CORPUS) -> list[Case]:
    """All cases in the order of their names."""
    return [_case(expected) for expected in sorted(corpus.glob(f"*/{_EXPECTED}"))]


def read_case(case: Case) -> Outcome:
    """Reads the page as the parse phase does: the ladder, then each record made clean."""
    started = time.process_time()
    reading = read(case.body, url=case.url, content_type=case.content_type, kind=case.wanted)
    made = to_records(
        reading.records,
        page_url=case.url,
        source_url=f"{parse(case.url).origin}/",
        language=reading.language,
        seen_at=case.seen_at,
    )
    cpu = timedelta(seconds=time.process_time() - started)
    records = tuple(record for record in made if isinstance(record, Record))
    return Outcome(case=case, reading=reading, records=records, cpu=cpu)


def _case(expected: Path) -> Case:
    told = json.loads(expected.read_text(encoding="utf-8"))
    body = next(path for path in sorted(expected.parent.iterdir()) if path.name != _EXPECTED)
    return Case(
        name=expected.parent.name,
        body=body.read_bytes(),
        url=told["url"],
        content_type=told["content_type"],
        seen_at=datetime.fromisoformat(told["seen_at"]),
        page_class=told["class"],
        kind=RecordKind(told["kind"]) if told["kind"] else None,
        wanted=RecordKind(told["wanted"]) if told["wanted"] else None,
        records=tuple(told["records"]),
        not_judged=frozenset(told.get("not_judged", ())),
        text=told.get("text"),
        next_page=told["next_page"],
        links=tuple(told.get("links", ())),
    )
