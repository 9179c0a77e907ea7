"""Fits the weights by which the listing of a page is chosen, on labelled pages, and writes them into their module.

    python scripts/fit_listing_weights.py            # fit, say how well it does, write
    python scripts/fit_listing_weights.py --check    # only say how well it does on sites that it was not fitted on

The pages are those of the tests and, where the folder is there, of ../shared/real-pages/dev. A page's regions and "no
listing" are alternatives; what is maximised is the expected F1 of the one that is drawn by their probabilities. Sites
are left out by fifths to see whether the weights hold on others.
"""

import argparse
import gzip
import json
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lamplighter.errors import BadUrl
from lamplighter.extract import rungs
from lamplighter.extract.charset import decode
from lamplighter.extract.html_page import HtmlPage, parse_page
from lamplighter.extract.listing import records, weights
from lamplighter.extract.listing.choice import judged
from lamplighter.extract.listing.ground import Ground
from lamplighter.extract.listing.page_evidence import Declared, page_evidence
from lamplighter.extract.listing.strays import without_strays
from lamplighter.extract.listing.tree import outline
from lamplighter.extract.structured.jsonld import read_jsonld
from lamplighter.model.record import RawRecord
from lamplighter.rules.urls.urls import normalise
from tests.extract.listing.small_pages import small_pages

ROOT = Path(__file__).parent.parent
REAL = ROOT.parent / "shared" / "real-pages" / "dev"
CORPUS = ROOT / "tests" / "corpus"
MODULE = Path(weights.__file__)
NAMES = [*weights.OF_REGION, *weights.OF_PAGE]
FOLDS, STEPS, RATE, PULL = 5, 300, 0.1, 0.003
#: how much a page of each group counts
WEIGHT = {
    "listings": 1.0,
    "negatives": 1.5,
    "articles": 0.35,
    "details": 0.5,
    "corpus": 0.6,
    "corpus none": 1.0,
    "small": 0.3,
}

#: what is expected before any page was seen, of evidence that few pages have; the others may count nothing
EXPECTED = {
    "ways into the site": -3.0,
    "posts of people": -4.0,
    "links amid prose": -4.0,
    "rows say the same": -4.0,
    "entries with a sub-menu": -2.0,
    "addresses of a kind": 0.7,
    "below an announcement": 0.7,
    "like a menu": -0.8,
    "entries of a sub-menu": -2.0,
    "titles are an index": -3.0,
    "shared addresses": -3.0,
    "a story is nearer": -3.5,
    "outside the main element": -1.5,
    "near the heading": 0.5,
    "holds another": -1.0,
    "one column of several": -1.5,
    "two rows": -1.0,
    "below related": -1.5,
    "right below the main heading": 1.0,
    "table with known heads": 1.0,
    "says that it is empty": 2.0,
}

Array = NDArray[np.float64]


class Labelled(NamedTuple):
    """A page whose rows are known; no rows means that it lists nothing."""

    group: str
    site: str
    name: str
    url: str
    content_type: str
    body: bytes
    rows: Sequence[Mapping[str, Any]]


class Case(NamedTuple):
    """The alternatives of one page; the last is that it has no listing."""

    group: str
    site: str
    name: str
    evidence: Array
    worth: Array


def labelled_pages() -> Iterator[Labelled]:
    for group in ("listings", "negatives", "articles", "details"):
        for path in sorted((REAL / group).glob("*.html.gz")):
            label = json.loads(path.with_name(path.name.removesuffix(".html.gz") + ".json").read_text(encoding="utf-8"))
            rows = label["rows"] if group == "listings" else ()
            kind = label.get("content_type", "text/html")
            site = str(label.get("site") or path.name)
            yield Labelled(group, site, path.name, label["url"], kind, gzip.decompress(path.read_bytes()), rows)
    for path in sorted(CORPUS.glob("*/page.html")):
        said = json.loads(path.with_name("expected.json").read_text(encoding="utf-8"))
        is_list = said["class"] == "listing" and not path.parent.name.startswith("state-")
        if is_list or said["class"] in ("detail", "article", "negative"):
            group = "corpus" if is_list else "corpus none"
            rows = (
                [{name: one(row.get(name)) for name in ("title", "url")} for row in said["records"]] if is_list else ()
            )
            name = path.parent.name
            yield Labelled(group, name, name, said["url"], said["content_type"], path.read_bytes(), rows)

    for number, small in enumerate(small_pages()):
        rows = [{"title": title, "url": url} for title, url in small.rows]
        yield Labelled("small", f"small {number}", f"small {number}", small.url, "text/html", small.html.encode(), rows)


def one(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def case_of(labelled: Labelled) -> Case:
    html = decode(labelled.body, labelled.content_type)
    page = parse_page(html, normalise(labelled.url))
    boxes = outline(page)
    ground = Ground(page, boxes)
    found = records.found_regions(boxes, records.links_of(page, boxes))
    candidates = judged(found, ground, wanted=None)
    table = np.zeros((len(candidates) + 1, len(NAMES)))
    worth = np.zeros(len(candidates) + 1)
    at = {name: place for place, name in enumerate(NAMES)}
    for number, (region, evidence) in enumerate(candidates):
        for name, value in evidence.items():
            table[number, at[name]] = value
        if labelled.rows:
            read = records.records_of_region(page, without_strays(region), boxes, None)
            worth[number] = 0.5 * f1(read, labelled.rows, with_title=True) + 0.5 * f1(
                read, labelled.rows, with_title=False
            )
    for name, value in page_evidence(ground, declared_by(page)).items():
        table[-1, at[name]] = value
    worth[-1] = 0.0 if labelled.rows else 1.0
    return Case(labelled.group, labelled.site, labelled.name, table, worth)


def declared_by(page: HtmlPage) -> Declared:
    said = [read_jsonld(page, None).records, *(rung(page, None) for rung in rungs.IN_MARKUP)]
    return rungs.declared([found for found in said if found], page)


def f1(read: Sequence[RawRecord], rows: Sequence[Mapping[str, Any]], *, with_title: bool) -> float:
    by_url: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        for url in (row["url"], *row.get("alt_urls", ())):
            by_url[address(url)].append(number)
    right: set[int] = set()
    for record in read:
        numbers = by_url.get(address(record.fields["url"].value if "url" in record.fields else ""), ())
        title = record.fields["title"].value
        right.update(
            [n for n in numbers if n not in right and (not with_title or same_title(title, rows[n].get("title")))][:1]
        )
    return 2 * len(right) / (len(read) + len(rows))


def address(url: Any) -> str:
    try:
        known = normalise(str(url))
    except BadUrl:
        return str(url)
    return known.partition("://")[2].removeprefix("www.").rstrip("/").casefold()


def same_title(got: Any, wanted: Any) -> bool:
    ours, theirs = letters(got), letters(wanted)
    return not theirs or (bool(ours) and (ours in theirs or theirs in ours))


def letters(text: Any) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", str(text or "")).casefold())


def fit(cases: Sequence[Case]) -> Array:
    """Gradient steps towards the greatest expected worth; large weights cost something."""
    table, worth = np.concatenate([c.evidence for c in cases]), np.concatenate([c.worth for c in cases]) + 0.01
    sizes = [len(c.worth) for c in cases]
    starts, owner = np.cumsum([0, *sizes[:-1]]), np.repeat(np.arange(len(cases)), sizes)
    counts = np.array([WEIGHT[c.group] for c in cases])
    counts = (counts / counts.sum())[owner]
    expected = np.array([EXPECTED.get(name, 0.0) for name in NAMES])
    found, drift, square = expected.copy(), np.zeros(len(NAMES)), np.zeros(len(NAMES))
    for step in range(1, STEPS + 1):
        scores = table @ found
        chance = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        chance /= np.add.reduceat(chance, starts)[owner]
        deserved = chance * worth
        deserved /= np.add.reduceat(deserved, starts)[owner]
        slope = ((chance - deserved) * counts) @ table + PULL * (found - expected)
        drift, square = 0.9 * drift + 0.1 * slope, 0.99 * square + 0.01 * slope * slope
        size = RATE * (1 - step / (STEPS + 50))
        found -= size * (drift / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-6)
    return found


def gained(case: Case, found: Array) -> float:
    """The worth of what would be chosen."""
    scores = case.evidence @ found
    chance = np.exp(scores - scores.max())
    if len(scores) == 1 or chance[-1] > chance[:-1].sum():
        return float(case.worth[-1])
    return float(case.worth[scores[:-1].argmax()])


def fold_of(site: str) -> int:
    return int(sha256(site.encode()).hexdigest(), 16) % FOLDS


def shown(cases: Sequence[Case], gains: Sequence[float]) -> str:
    groups: dict[str, list[float]] = defaultdict(list)
    for case, gain in zip(cases, gains, strict=True):
        groups[case.group].append(gain)
    return ", ".join(f"{group} {np.mean(values):.3f} ({len(values)})" for group, values in groups.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    asked = parser.parse_args()
    cases = [case_of(page) for page in labelled_pages()]
    left_out = {fold: fit([c for c in cases if fold_of(c.site) != fold]) for fold in range(FOLDS)}
    gains = [gained(case, left_out[fold_of(case.site)]) for case in cases]
    print("on sites left out:", shown(cases, gains))
    for case, gain in sorted(zip(cases, gains, strict=True), key=lambda pair: pair[1]):
        if gain < 0.5:
            print(f"  {gain:.2f} {case.group} {case.name}")
    now = np.array([*weights.OF_REGION.values(), *weights.OF_PAGE.values()])
    print("with the weights in the module:", shown(cases, [gained(case, now) for case in cases]))
    if asked.check or not REAL.exists():
        sys.exit(0 if asked.check else f"not written: {REAL} is not there, and pages of our own are too few")
    found = fit(cases)
    print("fitted on all:", shown(cases, [gained(case, found) for case in cases]))
    text = MODULE.read_text(encoding="utf-8")
    for name, value in zip(NAMES, found, strict=True):
        text = re.sub(rf'("{re.escape(name)}": )-?[\d.]+', rf"\g<1>{value:.2f}", text)
    MODULE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
