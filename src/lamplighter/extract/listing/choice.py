"""Which of the repeated regions of a page is its listing, if any?

One linear scorer weighs the evidence for each region (`evidence`) and for the page having no listing
(`page_evidence`); the scores become probabilities. `scripts/fit_listing_weights.py` fits the weights on labelled pages.
What was chosen on a page is remembered as a position (`position_of`), and found again on the next one (`at_position`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from math import exp
from operator import itemgetter
from typing import NamedTuple
from zlib import crc32

from lamplighter.extract.listing.evidence import Evidence, evidence_of, mean, relations, size_of
from lamplighter.extract.listing.flat import FlatRow, RowLink, with_followers
from lamplighter.extract.listing.ground import Ground
from lamplighter.extract.listing.page_evidence import Declared, page_evidence
from lamplighter.extract.listing.regions import ELSEWHERE, UNEQUAL, Region
from lamplighter.extract.listing.rows import is_action
from lamplighter.extract.listing.tree import FORMATTING, Box, self_and_above
from lamplighter.extract.listing.ways import are_ways
from lamplighter.extract.listing.weights import OF_PAGE, OF_REGION
from lamplighter.extract.listing.words import JOB_WORDS, NEWS_WORDS, SHOP_WORDS
from lamplighter.model.reading import RowPosition
from lamplighter.model.record import RecordKind

#: regions that are judged, the most promising first
_SHORTLIST = 6
#: a region below this share of the best promise is not judged
_HOPELESS = 0.06
#: a table with known headers is judged even when it is short
_HEADED = 5
#: rows whose addresses are looked at, and the share of them that is no coincidence
_SAMPLE, _MOST = 10, 0.6
_KINDS = {RecordKind.JOB: JOB_WORDS, RecordKind.ARTICLE: NEWS_WORDS, RecordKind.PRODUCT: SHOP_WORDS}
#: what it adds to a score that only some addresses are of the wanted kind, or that all are of another
_MIXED, _UNWANTED = -4.0, -4.0
#: a closer choice is not remembered
_CLEAR = 0.8
#: changes with the weights
EDITION = crc32(repr((OF_REGION, OF_PAGE)).encode()) & 0x7FFFFFFF


class Choice(NamedTuple):
    """The listing of a page."""

    region: Region
    #: probability that the page has a listing
    sure: float
    #: the evidence that counted, the strongest first
    because: str


def choose(found: Sequence[Region], ground: Ground, *, declared: Declared, wanted: RecordKind | None) -> Choice | None:
    """The listing; None when the page rather has none."""
    candidates = judged(found, ground, wanted=wanted)
    if not candidates:
        return None
    scores = [_score(evidence, OF_REGION) + _fit(region, wanted) for region, evidence in candidates]
    none = _score(page_evidence(ground, declared), OF_PAGE)
    best = max(scores)
    listed = sum(exp(score - best) for score in scores)
    sure = round(listed / (listed + exp(min(none - best, 50))), 3)
    if sure < 0.5:
        return None
    region, evidence = candidates[scores.index(best)]
    return Choice(region, sure, f"{sure:.0%} sure; most of all: {', '.join(_because(evidence))}")


def position_of(choice: Choice, template: str) -> RowPosition | None:
    """Where the listing is; None when the choice was a close one."""
    if choice.sure < _CLEAR:
        return None
    path, links = _usual(choice.region)
    return RowPosition(template, choice.region.key, path, links, choice.sure, EDITION)


def at_position(found: Iterable[Region], links: Iterable[RowLink], position: RowPosition) -> Choice | None:
    """The region at a remembered position; None when there is none any more."""
    if position.edition != EDITION:
        return None
    there = [region for region in found if region.rows and _is_at(region, position)] or _last_row(links, position)
    best = max(there, key=lambda region: (region.key == position.grouped_by, len(region.rows)), default=None)
    return Choice(best, position.sure, f"the list is where it was before: {position}") if best else None


def _is_at(region: Region, position: RowPosition) -> bool:
    if region.key in UNEQUAL and region.key != position.grouped_by:
        return False
    path, links = _usual(region)
    return links == position.links and (path == position.path or region.key in UNEQUAL)


def _last_row(links: Iterable[RowLink], position: RowPosition) -> list[Region]:
    """The only row that is left there: what does not repeat makes no region."""
    named = [link for link in links if link.pattern == position.links and link.text and not is_action(link.text)]
    for link in named:
        row = next((box for box in self_and_above(link.box) if _path(box) == position.path), None)
        if row is not None:
            return [Region(rows=with_followers([(row, link)]), key=position.grouped_by)]
    return []


def _usual(region: Region) -> tuple[str, str]:
    """The path to most of the rows, and the pattern of most of their addresses."""
    paths = Counter(row.box.path for row in region.rows)
    usual = paths.most_common(1)[0][0]
    links = Counter(row.link.pattern for row in region.rows if row.link)
    pattern = links.most_common(1)[0][0] if links else ""
    return _path(next(row.box for row in region.rows if row.box.path == usual)), pattern


def _path(row: Box) -> str:
    tags = [box.tag for box in self_and_above(row) if box.tag not in FORMATTING and not box.marked]
    return " ".join(reversed(tags))


def judged(found: Sequence[Region], ground: Ground, *, wanted: RecordKind | None) -> list[tuple[Region, Evidence]]:
    """The most promising regions with the evidence for each."""
    ranked = sorted(((_promise(region), region) for region in found if region.rows), key=itemgetter(0), reverse=True)
    promising = [(promise, region) for promise, region in ranked[:_SHORTLIST] if promise >= ranked[0][0] * _HOPELESS]
    levels = [ground.nearness(region.rows[0].box) for _, region in promising]
    related = relations([region for _, region in promising])
    return [
        (
            region,
            evidence_of(region, ground)
            | related[at]
            | {
                "promise": promise / promising[0][0] if promising[0][0] else 0.0,
                "near the heading": float(levels[at] == max(levels)),
                "ways into the site": float(wanted is None and are_ways(region, ground)),
            },
        )
        for at, (promise, region) in enumerate(promising)
    ]


def _score(evidence: Evidence, weights: Evidence) -> float:
    return sum(weights[name] * value for name, value in evidence.items())


def _because(evidence: Evidence) -> tuple[str, ...]:
    ranked = sorted(evidence, key=lambda name: OF_REGION[name] * evidence[name], reverse=True)
    return tuple(ranked[:3])


def _promise(region: Region) -> float:
    """A cheap first guess: many rows with much text in the body of the page."""
    rows = region.rows
    mass = sum(min(size_of(row), 250) for row in islice(rows, 50)) / min(len(rows), 50)
    worth = mean(row.box.worth for row in rows)
    return float(len(rows) ** 0.8) * (mass + 10) * worth * (_HEADED if region.key == "table" else 1)


def _fit(region: Region, wanted: RecordKind | None) -> float:
    """Are the addresses of the rows of the wanted kind, or of another?"""
    words = _KINDS.get(wanted) if wanted else None
    if words is None:
        return 0.0
    rows = region.rows[:: max(1, len(region.rows) // _SAMPLE)]
    share = _share_of(rows, words)
    if share > 0:
        return 0.0 if share > _MOST else _MIXED
    return _UNWANTED if any(_share_of(rows, other) > _MOST for other in _KINDS.values()) else 0.0


def _share_of(rows: Sequence[FlatRow], words: re.Pattern[str]) -> float:
    """The share of the addresses on this host that contain words of one kind."""
    links = [row.link for row in rows if row.link and row.link.pattern != ELSEWHERE]
    return mean(words.search(link.url.split("/", 3)[-1].lower()) is not None for link in links)
