"""Which rows of a region do not belong: a tile of the shop's own pages among its products, a list "Most read"?"""

from collections import Counter, defaultdict

from lamplighter.extract.listing.evidence import has_facts, size_of
from lamplighter.extract.listing.flat import FlatRow
from lamplighter.extract.listing.regions import UNEQUAL, Region, is_item
from lamplighter.extract.listing.rows import segments

#: shares of rows: of those with the usual address, and of those among them that have facts
_USUAL, _TELLING, _TELLING_BLOCK = 0.5, 0.9, 0.6
_FEWEST = 4
#: share of rows of one build that are the list among headlines
_CORE = 0.7
#: share of the elements with rows that hold two parts of one
_PAIRED = 0.6
#: characters of a number or a bullet before a link
_BULLET = 4


def without_strays(region: Region) -> Region:
    """The region without rows that lead elsewhere than most and have no fact where all others do."""
    rows = _without_seconds(_without_bare_blocks(region.rows))
    if region.key in UNEQUAL:
        return Region(key=region.key, rows=_of_one_build(rows))
    return Region(key=region.key, rows=_of_one_kind(_of_one_block(rows)))


def _without_bare_blocks(rows: list[FlatRow]) -> list[FlatRow]:
    """The rows without bare lists ("Most read") and blocks below that lead elsewhere, if all other rows have facts."""
    blocks = _blocks(rows)
    if len(blocks) < 2 or len(blocks) == len(rows):
        return rows
    telling = {row.box.place for row in rows if has_facts(segments(row.parts))}
    silent = {place for place, block in blocks.items() if telling.isdisjoint(row.box.place for row in block)}
    others = [row for place, block in blocks.items() if place not in silent for row in block]
    if len(others) < max(_FEWEST, _USUAL * len(rows)) or len(telling) < _TELLING * len(others):
        return rows
    usual, last = {row.link.pattern for row in others if row.link}, others[-1].box.place
    strange = {
        place
        for place in silent
        if len(block := blocks[place]) > 1
        and (all(map(_is_bare, block)) or (block[0].box.place > last and _leads_elsewhere(block, usual)))
    }
    return [row for row in rows if _parent(row) not in strange]


def _without_seconds(rows: list[FlatRow]) -> list[FlatRow]:
    """The rows without the second parts of the same rows, built otherwise: below each thread, who wrote there last."""
    blocks = _blocks(rows)
    pairs = [block for block in blocks.values() if len(block) == 2]
    builds = Counter((first.box.tag, second.box.tag) for first, second in pairs)
    usual, times = builds.most_common(1)[0] if builds else (("", ""), 0)
    if times < max(_FEWEST, _PAIRED * len(blocks)) or usual[0] == usual[1]:
        return rows
    seconds = {second.box.place for first, second in pairs if (first.box.tag, second.box.tag) == usual}
    return [row for row in rows if row.box.place not in seconds]


def _of_one_build(rows: list[FlatRow]) -> list[FlatRow]:
    """The rows without those of another build that have no fact, where nearly all of the usual build have some."""
    usual = Counter(row.box.path for row in rows).most_common(1)[0][0]
    core = [row for row in rows if row.box.path == usual]
    if len(core) < max(_FEWEST, _CORE * len(rows)):
        return rows
    if sum(has_facts(segments(row.parts)) for row in core) < _TELLING * len(core):
        return rows
    return [row for row in rows if row.box.path == usual or has_facts(segments(row.parts))]


def _leads_elsewhere(block: list[FlatRow], usual: set[str]) -> bool:
    """Have all others addresses of one pattern, and the block none of it?"""
    return len(usual) == 1 and usual.isdisjoint(row.link.pattern for row in block if row.link)


def _is_bare(row: FlatRow) -> bool:
    """Is the row a list entry with nothing but its link?"""
    return row.box.tag == "li" and row.link is not None and size_of(row) <= len(row.link.text) + _BULLET


def _of_one_block(rows: list[FlatRow]) -> list[FlatRow]:
    """The rows without similar blocks elsewhere on the page that lead elsewhere and have not one fact."""
    blocks = _blocks(rows)
    largest = max(blocks.values(), key=len)
    if len(blocks) < 2 or len(largest) < max(_FEWEST, _USUAL * len(rows)):
        return rows
    if sum(has_facts(segments(row.parts)) for row in largest) < _TELLING_BLOCK * len(largest):
        return rows
    usual = {_address(row) for row in largest}
    strange = {
        place
        for place, block in blocks.items()
        if block is not largest
        and len(block) > 1
        and usual.isdisjoint(_address(row) for row in block)
        and not any(has_facts(segments(row.parts)) for row in block)
    }
    return [row for row in rows if _parent(row) not in strange]


def _blocks(rows: list[FlatRow]) -> dict[int, list[FlatRow]]:
    """The rows by the element that contains them."""
    blocks: dict[int, list[FlatRow]] = defaultdict(list)
    for row in rows:
        blocks[_parent(row)].append(row)
    return blocks


def _parent(row: FlatRow) -> int:
    return row.box.parent.place if row.box.parent else 0


def _address(row: FlatRow) -> tuple[str, bool] | None:
    """The common part of the addresses of one kind of things."""
    return (row.link.pattern, is_item(row.link.url)) if row.link else None


def _of_one_kind(rows: list[FlatRow]) -> list[FlatRow]:
    patterns = Counter(row.link.pattern for row in rows if row.link)
    if len(rows) < _FEWEST or len(patterns) < 2:
        return rows
    usual, times = patterns.most_common(1)[0]
    if times < _USUAL * len(rows):
        return rows
    unusual = {row.box.place for row in rows if row.link and row.link.pattern != usual}
    telling = [has_facts(segments(row.parts)) for row in rows if row.box.place not in unusual]
    if sum(telling) < _TELLING * len(telling):
        return rows
    return [row for row in rows if row.box.place not in unusual or has_facts(segments(row.parts))]
