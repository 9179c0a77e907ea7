"""Turns examples into a recipe: the rows, their fields, and the link to the next page."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from turbohtml import Element

from lamplighter.errors import BadInput
from lamplighter.extract.elements import parent_of, select, self_and_above
from lamplighter.extract.listing.rows import is_apply
from lamplighter.extract.listing.tree import FORMATTING
from lamplighter.extract.recipes.by_recipe import is_address
from lamplighter.extract.teaching.lesson import MEANINGS, NEXT, TITLE, URL, WRONG, Example, Learned
from lamplighter.extract.teaching.places import NumberedPage
from lamplighter.extract.teaching.rows import (
    RowsFound,
    TitledRow,
    WayStep,
    follow,
    rows_like,
    text_of,
    way_down,
    way_up,
)
from lamplighter.extract.teaching.selectors import Found, finding_all, finding_in_rows
from lamplighter.extract.teaching.steps import telling_apart
from lamplighter.model.recipe import EMPTY, FieldRule, Recipe

_DATES = frozenset({"deadline", "published_at"})
_LINES = frozenset({"a", "h1", "h2", "h3", "h4", "h5", "h6"})
_PARTS_OF_LINES = FORMATTING | {"span"}
#: places where rows stand, if one selector does not find all
_MOST_PARTS = 4
#: links of a row that are tried as its address
_MOST_LINKS = 12
#: a label before a value, as in "Deadline: 1 May"
_LABEL = re.compile(r"([^\W\d][^:\d]{1,30}):\s*\S")


def learn(page: NumberedPage, examples: Sequence[Example], *, before: Recipe = EMPTY) -> Learned:
    """The recipe that these examples teach; what they say nothing of stays as in the recipe before."""
    nodes = _by_meaning(page, examples)
    titles = nodes.get(TITLE, [])
    if not titles and (extra := next((name for name in nodes if name not in (NEXT, WRONG)), None)):
        raise BadInput(f"an example of {extra} is not enough; point at a title first", field=extra)
    notes: list[str] = []
    recipe, rows = before, RowsFound([], [])
    if titles:
        rows = _without_what_is_like_the_wrong(rows_like(titles, nodes.get(WRONG, []), page.tree), titles)
        if not rows.kept:
            raise BadInput("every row like this title was marked as wrong; unmark one", field=WRONG)
        recipe = _of_rows(page, rows, nodes, before, notes)
    if nodes.get(NEXT):
        link = _link_at(nodes[NEXT][-1])
        found = finding_all([link], page.tree)
        if found is not None:
            recipe = replace(recipe, next=found.css)
            _note("next", found, notes)
    places = tuple((page.places[each.row], page.places[each.title]) for each in rows.kept)
    return Learned(recipe if titles or nodes.get(NEXT) else None, places, tuple(notes))


def _without_what_is_like_the_wrong(rows: RowsFound, titles: Sequence[Element]) -> RowsFound:
    """The rows without those that have in common with the wrong ones what no row of an example has."""
    examples = [each.row for each in rows.kept if each.title in set(titles)]
    apart = telling_apart(examples, [each.row for each in rows.left_out]) if examples else []
    chosen = next((step.css for step in apart if step.css.startswith(":not(")), None)
    if chosen is None:
        return rows
    kept = [each for each in rows.kept if each.row.matches(chosen)]
    return RowsFound(kept, rows.left_out + [each for each in rows.kept if each not in kept])


def _by_meaning(page: NumberedPage, examples: Iterable[Example]) -> dict[str, list[Element]]:
    found: dict[str, list[Element]] = {}
    for meaning, place in examples:
        if meaning not in MEANINGS:
            raise BadInput(f"{meaning[:50]!r} cannot be taught; use {', '.join(MEANINGS)}", field="examples")
        found.setdefault(meaning, []).append(_meant(page.at(place)))
    return found


def _meant(node: Element) -> Element:
    """The element that somebody meant: not a word in bold, but what it is a word of."""
    while (around := parent_of(node)) is not None and node.tag in _PARTS_OF_LINES:
        if text_of(around) != text_of(node) and (node.tag not in FORMATTING or around.tag not in _LINES):
            break
        node = around
    return node


def _of_rows(
    page: NumberedPage, rows: RowsFound, nodes: Mapping[str, list[Element]], before: Recipe, notes: list[str]
) -> Recipe:
    pairs = [(each.row, each.title) for each in rows.kept]
    title = finding_in_rows(pairs, must=nodes[TITLE])
    if title is None:  # rows that differ too much to be told in one way
        raise BadInput("these titles have nothing in common; point at fewer of them", field=TITLE)
    _note(TITLE, title, notes)
    fields = {TITLE: FieldRule(selector=title.css)}
    address = _address(rows.kept, nodes.get(URL, []))
    if address is not None:
        _note(URL, address, notes)
        fields[URL] = FieldRule(selector=address.css)
    for name, parts in nodes.items():
        if name not in (TITLE, URL, NEXT, WRONG):
            fields[name] = _field(name, rows.kept, parts, notes)
    items = _items(
        rows,
        page,
        does_no_harm=lambda node: title.css != "" and not any(map(text_of, select(node, title.css))),
    )
    if items is None:
        raise BadInput(
            "no selector tells these rows from what is beside them; point at fewer titles, or write the recipe by hand",
            field=TITLE,
        )
    _note("items", items, notes)
    return replace(before, items=items.css, fields=fields, next=before.next)


def _items(rows: RowsFound, page: NumberedPage, *, does_no_harm: Callable[[Element], bool]) -> Found | None:
    """The selector of the rows; where no single one finds them all, one for each place where rows stand."""
    left_out = [each.row for each in rows.left_out]
    whole = finding_all([each.row for each in rows.kept], page.tree, left_out=left_out, does_no_harm=does_no_harm)
    if whole is not None:
        return whole
    by_place: dict[Element | None, list[Element]] = {}
    for each in rows.kept:
        by_place.setdefault(parent_of(each.row), []).append(each.row)
    parts = [finding_all(nodes, page.tree, left_out=left_out, does_no_harm=does_no_harm) for nodes in by_place.values()]
    found = [part for part in parts if part is not None]
    if len(found) < len(parts) or len(parts) > _MOST_PARTS:
        return None
    css = ", ".join(dict.fromkeys(part.css for part in found))
    return Found(css, next((part.doubt for part in found if part.doubt), None), sum(part.too_many for part in found))


def _note(what: str, found: Found, notes: list[str]) -> None:
    if found.doubt is not None:
        notes.append(f"{what}: {found.css!r} looks fragile: it has {found.doubt}")
    if found.too_many:
        notes.append(f"{what}: {found.css!r} also matches {found.too_many} other places")


def _field(name: str, rows: Sequence[TitledRow], parts: Sequence[Element], notes: list[str]) -> FieldRule:
    """The rule of a field by its examples, each in one of the rows."""
    pairs: dict[Element, Element] = {}
    for part in parts:
        row = _row_of(part, rows)
        if row is None:
            raise BadInput(
                f"the example of {name}, {text_of(part)[:60]!r}, is in none of the {len(rows)} rows", field=name
            )
        pairs[row] = part
    row, part = next(iter(pairs.items()))
    turns = way_down(row, part)
    for each in rows:
        other = pairs.get(each.row) or follow(each.row, turns)
        if other is not None:
            pairs[each.row] = other
    found = finding_in_rows(list(pairs.items()), must=parts, read=_address_of if is_address(name) else text_of)
    if found is None:
        raise BadInput(f"the examples of {name} have nothing in common; point at one of them", field=name)
    _note(name, found, notes)
    rule = FieldRule(selector=found.css)
    if name in _DATES and part.tag == "time" and part.attr("datetime"):
        return replace(rule, attribute="datetime")
    if is_address(name):
        return rule
    label = _common_label([text_of(each) for each in pairs.values()])
    return replace(rule, pattern=rf"{re.escape(label)}:\s*(.+)") if label else rule


def _common_label(texts: Sequence[str]) -> str | None:
    labels = {found[1] if (found := _LABEL.match(text)) else None for text in texts if text}
    return labels.pop() if len(labels) == 1 else None


def _row_of(part: Element, rows: Sequence[TitledRow]) -> Element | None:
    known = {each.row for each in rows}
    return next((node for node in self_and_above(part) if node in known), None)


def _address(rows: Sequence[TitledRow], chosen: Sequence[Element]) -> Found | None:
    """The link of a row: the one pointed at, the title's own, or the first that leads elsewhere from every row."""
    for turns_of in _link_choices(rows, chosen):
        pairs = [(each.row, link) for each in rows if (link := _linked(follow(each.row, turns_of))) is not None]
        hrefs = {link.attr("href") for _, link in pairs}
        if pairs and (chosen or (len(hrefs) > len(rows) * 0.7 and len(pairs) >= len(rows) * 0.7) or len(rows) == 1):
            return _finding_link(pairs)
    return None


def _link_choices(rows: Sequence[TitledRow], chosen: Sequence[Element]) -> Iterator[list[WayStep]]:
    known = {each.row: each.title for each in rows}
    if chosen:
        row = _row_of(chosen[-1], rows)
        if row is None:
            raise BadInput(f"the example of url is in none of the {len(rows)} rows", field=URL)
        yield way_down(row, _link_at(chosen[-1]))
        return
    row, title = next(iter(known.items()))
    inside = [node for node in row.iter_elements() if node.attr("href") is not None]
    own = [node for node in way_up(title) if node in inside or (node is row and node.attr("href") is not None)]
    of_title = [node for node in title.iter_elements() if node in inside]
    rest = sorted(inside[:_MOST_LINKS], key=lambda node: is_apply(text_of(node)))
    for link in dict.fromkeys([*own, *of_title, *rest]):
        yield way_down(row, link)


def _linked(node: Element | None) -> Element | None:
    return node if node is not None and node.attr("href") else None


def _finding_link(pairs: Sequence[tuple[Element, Element]]) -> Found | None:
    return finding_in_rows(pairs, must=[pairs[0][1]], read=_address_of)


def _address_of(node: Element) -> str:
    """What a recipe reads from an element as an address."""
    return node.attr("href") or node.attr("src") or text_of(node)


def _link_at(node: Element) -> Element:
    """The link that the element is, is in, or holds."""
    around = next((each for each in way_up(node) if each.attr("href") is not None), None)
    inside = next((each for each in node.iter_elements() if each.attr("href") is not None), None)
    return around or inside or node
