"""The shortest selector that lasts and finds exactly what was pointed at."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from turbohtml import Document, Element

from lamplighter.extract.elements import parent_of, select
from lamplighter.extract.teaching.lesson import Doubt
from lamplighter.extract.teaching.rows import text_of, way_up
from lamplighter.extract.teaching.steps import Step, position_of_type, steps_of, telling_apart

#: cost of a combinator, of a place that is found too, and of a row in which the field is not found
_WITHIN, _DIRECTLY, _TOO_MUCH, _MISSED = 0.4, 0.5, 3.0, 6.0
_MOST_TRIED = 400
_HIGHEST = 8
_MOST_STEPS = 6
#: rows in which a field's selector is tried
_MOST_ROWS = 60


class Found(NamedTuple):
    """A selector, and how good it is."""

    css: str
    doubt: Doubt | None = None
    #: places that it finds although they were not wanted
    too_many: int = 0
    #: wanted places that it does not find
    missing: int = 0


def finding_all(
    wanted: Sequence[Element],
    tree: Document,
    *,
    left_out: Sequence[Element] = (),
    does_no_harm: Callable[[Element], bool] = lambda _: False,
) -> Found | None:
    """The cheapest selector that finds these elements in the page and no others; one that finds more if none does.

    What `does_no_harm` may be found as well.
    """
    whole, out = set(wanted), set(left_out)
    best: tuple[float, Found] | None = None
    for step in islice(_cheapest_first(_whole_selectors(wanted, left_out)), _MOST_TRIED):
        if best is not None and best[0] <= step.cost:
            break
        found = set(select(tree, step.css))
        if not whole <= found or found & out:
            continue
        harmful = sum(1 for node in found - whole if not does_no_harm(node))
        cost = step.cost + _TOO_MUCH * (bool(found - whole) + harmful)
        if best is None or cost < best[0]:
            best = (cost, Found(step.css, step.doubt, too_many=harmful))
    return best[1] if best is not None else None


def _cheapest_first(steps: Iterator[Step]) -> Iterator[Step]:
    return iter(sorted(dict.fromkeys(steps), key=lambda step: (step.cost, len(step.css))))


def _whole_selectors(wanted: Sequence[Element], left_out: Sequence[Element]) -> Iterator[Step]:
    own = steps_of(wanted)[: 2 * _MOST_STEPS]
    if left_out:
        own += [step + apart for step in own[:_MOST_STEPS] for apart in telling_apart(wanted, left_out)[:4]]
    yield from own
    if len(wanted) == 1:
        own = steps_of(wanted, with_position=True)[: 3 * _MOST_STEPS]
        yield from own
    above = _above(wanted)
    if not above:
        return
    parents = steps_of(above[0])[:_MOST_STEPS]
    in_parents = [_joined(parent, " > ", step) for parent in parents for step in own]
    yield from in_parents
    for height, level in enumerate(above):
        for around in steps_of(level)[:_MOST_STEPS]:
            far = around._replace(cost=around.cost + 0.1 * height)
            yield from (_joined(far, " ", step) for step in own)
            if height:
                yield from (_joined(far, " ", step) for step in in_parents[: 2 * _MOST_STEPS])
        if height and all(len({node.tag for node in inner}) == 1 for inner in above[:height]):
            way = " > ".join(inner[0].tag for inner in reversed(above[:height]))
            chain = Step(way, 1.5 * height)
            for around in steps_of(level)[:2]:
                yield from (_joined(_joined(around, " > ", chain), " > ", step) for step in own[:_MOST_STEPS])
    yield from _by_position(wanted, own)


def _above(nodes: Sequence[Element]) -> list[list[Element]]:
    """The elements around, level by level, as far as all have one; each once."""
    ways = [way_up(node)[1:] for node in nodes]
    height = min(len(way) for way in ways)
    return [list(dict.fromkeys(way[level] for way in ways)) for level in range(min(height, _HIGHEST))]


def _by_position(wanted: Sequence[Element], own: Sequence[Step]) -> Iterator[Step]:
    """The way from the body down by positions, where no name tells."""
    around = parent_of(wanted[0])
    if around is None or any(parent_of(node) is not around for node in wanted):
        return
    way = " > ".join(f"{node.tag}:nth-of-type({position_of_type(node)})" for node in reversed(way_up(around)))
    path = f"body > {way}" if way else "body"
    for step in own:
        yield Step(f"{path} > {step.css}", step.cost + 10.0, Doubt.POSITION)


def _joined(around: Step, combinator: str, inner: Step) -> Step:
    cost = around.cost + inner.cost + (_DIRECTLY if ">" in combinator else _WITHIN)
    return Step(f"{around.css}{combinator}{inner.css}", cost, inner.doubt or around.doubt)


def finding_in_rows(
    pairs: Sequence[tuple[Element, Element]],
    *,
    must: Sequence[Element] = (),
    read: Callable[[Element], str] = text_of,
) -> Found | None:
    """The cheapest selector by which these parts are read from their rows, at least those of `must`."""
    if all(row is part for row, part in pairs):
        return Found("")
    some = [pair for pair in pairs if pair[1] in set(must)] + [pair for pair in pairs if pair[1] not in set(must)]
    some = some[:_MOST_ROWS]
    needed = sum(1 for _, part in some if part in set(must))
    best: tuple[float, Found] | None = None
    for step in islice(_cheapest_first(_in_row_selectors(some, read)), _MOST_TRIED):
        if best is not None and best[0] <= step.cost:
            break
        hits = [_finds(row, step.css, part, read) for row, part in some]
        if not all(hits[:needed]) or not any(hits):
            continue
        cost = step.cost + _MISSED * (len(hits) - sum(hits)) / len(hits)
        if best is None or cost < best[0]:
            best = (cost, Found(step.css, step.doubt, missing=len(hits) - sum(hits)))
    return best[1] if best is not None else None


def _finds(row: Element, css: str, part: Element, read: Callable[[Element], str]) -> bool:
    """Is what the part says also what is read first by the selector?"""
    return next(filter(None, map(read, select(row, css))), None) == read(part)


def _in_row_selectors(pairs: Sequence[tuple[Element, Element]], read: Callable[[Element], str]) -> Iterator[Step]:
    """Steps for the part and for those around it that say no more, alone and inside what is around them in the row."""
    for rise in range(4):
        parts = [_risen(row, part, rise, read) for row, part in pairs]
        nodes = [node for node in parts if node is not None]
        if len(nodes) < len(pairs):
            return
        own = [step._replace(cost=step.cost + 0.2 * rise) for step in steps_of(nodes, with_position=True)]
        own = own[: 3 * _MOST_STEPS]
        yield from own
        for height in (1, 2):
            above = [_above_in(row, node, height) for (row, _), node in zip(pairs, nodes, strict=True)]
            around = [node for node in above if node is not None]
            if len(around) < len(nodes):
                break
            mark = " > " if height == 1 else " "
            outer = steps_of(around, with_position=True)[:_MOST_STEPS]
            yield from (_joined(one, mark, step) for one in outer for step in own)


def _risen(row: Element, part: Element, levels: int, read: Callable[[Element], str]) -> Element | None:
    """The element so many levels above a part, if it is inside the row and says the same."""
    way = way_up(part)
    way = way[: way.index(row)] if row in way else way
    if levels >= len(way):
        return None
    return way[levels] if levels == 0 or read(way[levels]) == read(part) else None


def _above_in(row: Element, node: Element, height: int) -> Element | None:
    way = way_up(node)
    way = way[: way.index(row)] if row in way else way
    return way[height] if height < len(way) else None
