"""The differences between two texts, line by line or word by word, for people.

The work is bounded for any input: texts that are too long or too repetitive to be compared closely are first cut at
lines that occur once in both, and a part that is still too large counts as replaced.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import zip_longest
from typing import NamedTuple

#: pairs of equal words or lines, each of which the comparison visits several times: in two texts, and in two lines
MOST_PAIRS = 100_000
MOST_PAIRS_OF_LINE = 5_000
#: unchanged lines shown on either side of a change
AROUND = 3

#: Space belongs to the word after it: alone it would match everywhere.
_WORD = re.compile(r"\s*(?:\w+|[^\w\s])|\s+")
_SPACE = re.compile(r"[^\S\n]+")


class Mark(StrEnum):
    """Whether a piece stayed, was removed or was added."""

    SAME = "same"
    GONE = "gone"
    NEW = "new"


class DiffPiece(NamedTuple):
    """A part of one text, or of both."""

    mark: Mark
    text: str


class DiffLine(NamedTuple):
    """A line of one text."""

    #: from 1
    number: int
    text: str


class DiffRow(NamedTuple):
    """A line of both texts, which may read differently, or of one of them."""

    before: DiffLine | None
    after: DiffLine | None

    @property
    def is_same(self) -> bool:
        """Whether the line is the same in both texts."""
        return self.before is not None and self.after is not None and self.before.text == self.after.text


class Gap(NamedTuple):
    """Unchanged lines that are not shown."""

    lines: int


class DiffTally(NamedTuple):
    """How many lines were added and removed."""

    added: int
    removed: int


def by_words(before: str, after: str, *, most_pairs: int = MOST_PAIRS) -> list[DiffPiece]:
    """The words that stayed, were removed and were added, in order; stayed and removed ones are the old text."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    return [piece for step in _steps(old, new, most_pairs=most_pairs) for piece in _pieces(step)]


def by_lines(before: str, after: str, *, most_pairs: int = MOST_PAIRS) -> list[DiffRow]:
    """All lines of both texts side by side; where lines were replaced, old and new ones are paired in order."""
    old, new = (
        [DiffLine(number, line) for number, line in enumerate(text.split("\n"), start=1)] for text in (before, after)
    )
    rows: list[DiffRow] = []
    at_old = at_new = 0
    for _, was, now in _steps([line.text for line in old], [line.text for line in new], most_pairs=most_pairs):
        went, came = old[at_old : at_old + len(was)], new[at_new : at_new + len(now)]
        rows += [DiffRow(*pair) for pair in zip_longest(went, came)]
        at_old, at_new = at_old + len(was), at_new + len(now)
    return rows


def marked(row: DiffRow) -> list[DiffPiece]:
    """The words of a row, marked."""
    before, after = (line.text if line is not None else "" for line in row)
    return by_words(before, after, most_pairs=MOST_PAIRS_OF_LINE)


def folded(rows: Sequence[DiffRow], *, around: int = AROUND) -> list[DiffRow | Gap]:
    """The rows that changed and those near them; a gap for the others."""
    changed = [number for number, row in enumerate(rows) if not row.is_same]
    shown = {near for number in changed for near in range(number - around, number + around + 1)}
    result: list[DiffRow | Gap] = []
    for number, row in enumerate(rows):
        if number in shown:
            result.append(row)
        elif result and isinstance(result[-1], Gap):
            result[-1] = Gap(result[-1].lines + 1)
        else:
            result.append(Gap(1))
    return result


def tally(rows: Iterable[DiffRow]) -> DiffTally:
    """How many lines were added and removed; a line that changed counts as both."""
    changed = [row for row in rows if not row.is_same]
    added, removed = (sum(row[side] is not None for row in changed) for side in (1, 0))
    return DiffTally(added=added, removed=removed)


def squeezed(text: str) -> str:
    """A text for which white space makes no difference: lines stripped, empty lines left out."""
    lines = (_SPACE.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


#: least number of pairs of each part, into however many parts a text is cut
_LEAST_PAIRS = 1_000

_Step = tuple[bool, Sequence[str], Sequence[str]]


def _steps(old: Sequence[str], new: Sequence[str], *, most_pairs: int) -> Iterator[_Step]:
    """What stayed (True), and what was replaced by what."""
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    if start:
        yield True, old[:start], new[:start]
    yield from _middle(old[start : len(old) - end], new[start : len(new) - end], most_pairs)
    if end:
        yield True, old[len(old) - end :], new[len(new) - end :]


def _middle(old: Sequence[str], new: Sequence[str], most_pairs: int) -> Iterator[_Step]:
    if not old and not new:
        return
    if _pairs(old, new) > most_pairs:
        yield from _cut(old, new, most_pairs)
        return
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for step, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        yield step == "equal", old[old_start:old_end], new[new_start:new_end]


def _pairs(old: Sequence[str], new: Sequence[str]) -> int:
    counts = Counter(new)
    return sum(counts[each] for each in old)


def _cut(old: Sequence[str], new: Sequence[str], most_pairs: int) -> Iterator[_Step]:
    """The steps between pieces that occur once in both; the parts share the allowed work."""
    ends = [*_anchors(old, new), (len(old), len(new))]
    if len(ends) == 1:
        yield False, old, new
        return
    share = max(most_pairs // len(ends), _LEAST_PAIRS)
    at_old = at_new = 0
    for next_old, next_new in ends:
        was, now = old[at_old:next_old], new[at_new:next_new]
        if _pairs(was, now) > share:
            yield False, was, now
        else:
            yield from _steps(was, now, most_pairs=share)
        if next_old < len(old):
            yield True, old[next_old : next_old + 1], new[next_new : next_new + 1]
        at_old, at_new = next_old + 1, next_new + 1


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The longest common series of pieces that occur once in both texts (patience sorting)."""
    counts = Counter(new)
    places = {each: number for number, each in enumerate(new) if counts[each] == 1}
    counts = Counter(old)
    pairs = [(number, places[each]) for number, each in enumerate(old) if counts[each] == 1 and each in places]
    piles: list[int] = []
    on_top: list[int] = []
    before: list[int | None] = []
    for number, (_, place) in enumerate(pairs):
        pile = bisect_left(piles, place)
        before.append(on_top[pile - 1] if pile else None)
        piles[pile : pile + 1], on_top[pile : pile + 1] = [place], [number]
    series: list[tuple[int, int]] = []
    last = on_top[-1] if on_top else None
    while last is not None:
        series.append(pairs[last])
        last = before[last]
    return series[::-1]


def _shared(old: Sequence[str], new: Sequence[str]) -> int:
    """The length of the common beginning."""
    least = min(len(old), len(new))
    return next((number for number in range(least) if old[number] != new[number]), least)


def _pieces(step: _Step) -> Iterator[DiffPiece]:
    """A step as text; white space with which both sides of a change begin stays."""
    is_same, was, now = step
    gone, new = "".join(was), "".join(now)
    if is_same:
        yield DiffPiece(Mark.SAME, new)
        return
    before, after = (text[: len(text) - len(text.lstrip())] for text in (gone, new))
    space = before if before == after else ""
    for mark, text in ((Mark.SAME, space), (Mark.GONE, gone.removeprefix(space)), (Mark.NEW, new.removeprefix(space))):
        if text:
            yield DiffPiece(mark, text)
