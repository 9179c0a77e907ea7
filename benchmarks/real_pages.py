"""How well are real pages read that nobody here wrote, beside other libraries, and is what is called sure right?

    python -m benchmarks.real_pages

The pages and their labels are in `../shared/real-pages`, with the program that scores them. They are not a part of this
repository: without them the part is left out.
"""

import importlib.util
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.peer_venv import python_of_peers

_REPOSITORY: Final = Path(__file__).resolve().parent.parent
PAGES: Final = _REPOSITORY.parent / "shared" / "real-pages"
#: the set of which the pages were looked at while the reader was improved
_SET: Final = "dev"
_LISTS, _NONE, _ARTICLES, _DETAILS = ("listings", "negatives", "articles", "details")
_SEEN_AT: Final = datetime(2026, 1, 1, tzinfo=UTC)
#: records are counted by confidence between these
BINS: Final = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
#: of the records that are at least so sure, this share should be right
_SURE, _RIGHT = 0.9, 0.95


class Judged(NamedTuple):
    """A record: how sure it was said to be, and whether it was right."""

    confidence: float
    is_right: bool


def missing() -> str:
    """Why nothing can be measured here; empty when it can."""
    return "" if (PAGES / "score.py").is_file() else "../shared/real-pages is not there"


def measured(size: Size, tell: Tell) -> Findings:
    """Listings, articles, details and dates beside their labels, and the curve of confidence."""
    from trafilatura import extract

    if reason := missing():
        raise FileNotFoundError(reason)
    scoring, folder = _scoring(), PAGES / _SET
    tell("reading listings")
    lists, _ = scoring.score_listings(folder / _LISTS)
    none, _ = scoring.score_negatives(folder / _NONE)
    tell("reading articles, trafilatura beside")
    articles, _ = scoring.score_articles(folder / _ARTICLES, extract)
    tell("reading details, extruct beside")
    details, _ = scoring.score_details(folder / _DETAILS)
    others = {} if size is Size.TINY else _by_extruct(scoring, folder / _DETAILS)
    dates, _ = scoring.score_dates(folder / "dates.jsonl")
    tell("comparing confidence with what is right")
    judged = list(judged_records(scoring, folder))
    return Findings(
        figures=(_promise(judged),),
        sheets=(_of_lists(lists), _of_the_rest(none, articles, dates), _of_details(details, others), curve(judged)),
    )


def _scoring() -> Any:
    """The program that comes with the pages."""
    spec = importlib.util.spec_from_file_location("real_pages_score", PAGES / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _of_lists(lists: Mapping[str, Mapping[str, Any]]) -> Sheet:
    columns = {
        "pages": "pages",
        "sites": "sites",
        "mean F1 of a page": "macro_f1",
        "F1 of all rows": "micro_f1",
        "pages of 0.95 and more": "share_of_pages_0.95",
        "pages with nothing right": "pages_nothing_right",
        "dates of rows right": "row_dates_right",
    }
    kinds = ["all", *sorted(lists.keys() - {"all"})]
    return Sheet(
        title="Titles and links of listings",
        headings=("", *columns),
        rows=tuple((kind, *(str(lists[kind].get(name, "")) for name in columns.values())) for kind in kinds),
        note=f"Reading one takes {lists['all']['cpu_ms_median']} ms of CPU in the middle, "
        f"{lists['all']['cpu_ms_p95']} ms at the 95th percentile.",
    )


def _of_the_rest(none: Any, articles: Any, dates: Any) -> Sheet:
    every, day, lists = articles["all"], dates["all"], none["all"]
    public = articles.get("aeb", {})
    return Sheet(
        title="Pages without a list, articles, dates",
        headings=("", "Lamplighter", "trafilatura"),
        rows=(
            ("pages without a list read as one", f"{lists['pages_read_as_list']} of {lists['pages']}", ""),
            (f"F1 of article text, {every['pages']} pages", str(every["f1"]), str(every["trafilatura_f1"])),
            ("the public benchmark among them", str(public.get("f1", "")), str(public.get("trafilatura_f1", ""))),
            ("CPU ms, middle", str(every["cpu_ms_median"]), str(every["trafilatura_cpu_ms_median"])),
            ("dates alone", f"{day['alone right']} of {day['dates']}", ""),
            ("dates with the other dates of their page", f"{day['with page right']} of {day['dates']}", ""),
        ),
    )  # fmt: skip


def _of_details(details: Mapping[str, Any], others: Mapping[str, Mapping[str, str]]) -> Sheet:
    rows = [
        (f"{kind}: {name}", _right(told), _right(others.get(kind, {}).get(name, "")))
        for kind, figures in sorted(details.items())
        for name, told in figures.get("fields", {}).items()
    ]
    return Sheet(
        title="Fields of pages about one thing, right", headings=("", "Lamplighter", "extruct"), rows=tuple(rows)
    )


def _right(told: str) -> str:
    """ "41/74 (none 12)" without the bracket."""
    return told.partition(" ")[0].replace("/", " of ")


def _by_extruct(scoring: Any, folder: Path) -> dict[str, dict[str, str]]:
    """The same fields by extruct, which the peers' interpreter runs."""
    told = subprocess.run(
        [python_of_peers(_REPOSITORY / ".bench"), "-m", "benchmarks.peers.structured", folder],
        cwd=_REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    found: dict[str, dict[str, Any]] = json.loads(told.stdout)
    counts: dict[str, Counter[Any]] = {}
    for label in sorted(folder.glob("*.json")):
        page = SimpleNamespace(label=json.loads(label.read_text()), reading=SimpleNamespace(language=None))
        scoring.check_fields(page, found.get(label.stem, {}), counts.setdefault(page.label["kind"], Counter()))
    return {kind: scoring.shares(count) for kind, count in counts.items()}


def judged_records(scoring: Any, folder: Path) -> Iterator[Judged]:
    """Every record of listings, of pages that list nothing, and of pages about one thing."""
    for page in _read(scoring, folder / _LISTS):
        yield from zip_judged(page, _right_rows(scoring, page))
    for page in _read(scoring, folder / _NONE):
        if len(page.records) > 1:
            yield from zip_judged(page, [False] * len(page.records))
    for page in _read(scoring, folder / _DETAILS):
        wanted = page.label.get("fields", {}).get("title")
        if wanted is not None:
            names = wanted if isinstance(wanted, list) else [wanted]
            is_right = len(page.records) == 1 and scoring.field_right("title", names, page.records[0], page)
            yield from zip_judged(page, [is_right] * len(page.records))


def _read(scoring: Any, folder: Path) -> Iterator[Any]:
    yield from map(scoring.Page, sorted(folder.glob("*.html.gz")))


def zip_judged(page: Any, is_right: Sequence[bool]) -> Iterator[Judged]:
    """The page's records as a run would clean them, each with its judgement."""
    from lamplighter.model.record import Record
    from lamplighter.normalise.records import to_records

    url = page.label["url"]
    cleaned = to_records(
        page.reading.records, page_url=url, source_url=url, language=page.reading.language, seen_at=_SEEN_AT
    )
    for record, right in zip(cleaned, is_right, strict=True):
        if isinstance(record, Record):
            yield Judged(record.confidence, right)


def _right_rows(scoring: Any, page: Any) -> list[bool]:
    """For each record whether a row of the label has its title and link; each row counts once."""
    left: dict[Any, list[Mapping[str, Any]]] = {}
    for row in page.label["rows"]:
        for url in (row["url"], *row.get("alt_urls", ())):
            left.setdefault(scoring.address(url), []).append(row)
    taken: set[int] = set()
    right = []
    for record in page.records:
        rows = left.get(scoring.address(record.get("url")), ())
        row = next((r for r in rows if id(r) not in taken and scoring.same_title(record.get("title"), r)), None)
        taken |= {id(row)} if row is not None else set()
        right.append(row is not None)
    return right


def curve(judged: Iterable[Judged]) -> Sheet:
    """What share of the records of each confidence is right."""
    records, right = Counter[int](), Counter[int]()
    for each in judged:
        place = max(at for at, least in enumerate(BINS[:-1]) if each.confidence >= least)
        records[place] += 1
        right[place] += each.is_right
    return Sheet(
        title="Confidence of records, and how many are right",
        headings=("confidence", "records", "right", "share"),
        rows=tuple(
            (f"{BINS[at]:.1f} to {BINS[at + 1]:.1f}", f"{number:,}", f"{right[at]:,}", f"{right[at] / number:.3f}")
            for at, number in sorted(records.items())
        ),
        note="A record of a listing is right with the title and the link of a row, one of a page about one thing with "
        "its title. Below 0.5 a record is a guess, which runs do not keep.",
    )  # fmt: skip


def _promise(judged: Sequence[Judged]) -> Figure:
    sure = [each.is_right for each in judged if each.confidence >= _SURE]
    return Figure(
        name=f"share that is right of records that are {_SURE} sure or surer",
        value=round(sum(sure) / len(sure), 3) if sure else 0.0,
        at_least=_RIGHT,
    )


PART: Final = Part(
    name="real_pages",
    title="Reading real pages",
    about=(
        "Pages of sites that nobody here wrote, saved by public scrapers and data sets, with labels; read without "
        "recipes, each alone, as on a first visit. We looked at these pages and improved the reader on them; on other "
        "sites it may do less well. The labels have faults of their own."
    ),
    run=measured,
    missing=missing,
)


def main() -> int:
    """Measures everything."""
    from benchmarks.measuring.showing import alone

    return alone(lambda tell: measured(Size.FULL, tell))


if __name__ == "__main__":
    sys.exit(main())
