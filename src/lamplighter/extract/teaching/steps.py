"""Which parts of selectors describe an element, and how long will each last?

A step describes one element: `li`, `.job`, `#jobs`, `[itemprop="name"]`. Its cost says how much would have to stay as
it is for the step to match tomorrow; names that people chose are cheap, generated names and positions are dear.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from turbohtml import Element

from lamplighter.extract.elements import parent_of
from lamplighter.extract.teaching.lesson import Doubt

#: of a name that people chose, of one about looks only, of a generated one
_CHOSEN, _LAYOUT, _GENERATED = 1.0, 3.0, 8.0
_POSITION = 4.0
_TELLING_ATTRIBUTE, _TELLING_TAG, _GENERIC_TAG = 1.2, 1.3, 2.0
_GENERIC = frozenset({"div", "span", "p", "b", "i", "em", "strong", "font", "small"})
#: attributes whose values name what an element is
_ATTRIBUTES = ("itemprop", "rel", "role", "data-testid", "data-test", "data-qa", "data-cy", "property", "aria-label")
_LONGEST_NAME = 40
_MOST_CLASSES = 8
#: elements of a row that tell it from another
_MOST_INSIDE = 200

#: values of attributes that are words
_PLAIN = re.compile(r"(?!.*\d\d)[\w][\w .:/-]{0,38}")
_FOLDER = re.compile(r"(?:https?://[^/]+)?(/[A-Za-z][\w.-]{1,30}/)")
_ADDRESS = re.compile(r"[\w.:/?=&%-]{2,80}")
_IDENT = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]*")
_HEAD = re.compile(
    r"(?:css|sc|jss|emotion|svelte|styled|astro|ng|makestyles|tss)-?[\w-]*\d|(?:sc|css)-[A-Za-z]{5,}", re.IGNORECASE
)
#: letters and digits in turns, or capitals in the middle of a short word: nobody types such a name
_MIXED = re.compile(
    r"(?=.*[A-Za-z].*\d.*[A-Za-z]|.*\d.*[A-Za-z].*\d)[A-Za-z0-9]{5,}|[a-z]{1,3}[A-Z][A-Za-z]{0,2}[A-Z]\w{0,4}"
)
_MODULE_HASH = re.compile(r"_{1,2}[A-Za-z0-9+-]*(?:\d[A-Za-z]|[A-Za-z]\d|[a-z][A-Z])[A-Za-z0-9+-]*$|^_[A-Za-z0-9]{4,}$")
#: different in every row, or in every visit
_OF_ONE = re.compile(
    r"(?:^|[-_])(?:odd|even|first|last|active|current|selected|hover|visited|new|open|closed|collapsed|expanded|featured"
    r"|promoted|highlight(?:ed)?|hidden|visible|show|loaded|lazy\w*)(?:$|[-_])|(?:^|-)(?:is|has)-|\d{2,}|\d$",
    re.IGNORECASE,
)
#: what style sheets of ready-made classes call things
_LOOKS = re.compile(
    r"(?:[a-z]{2,3}:)?-?(?:[mp][trblxyse]?-(?:\d|auto)|w-|h-|min-|max-|text-(?:xs|sm|base|lg|xl|left|right|center|muted"
    r"|bold|gray|white|black|primary|dark)|bg-|border|rounded|shadow|flex|grid|gap-|items-|justify-|font-|leading-"
    r"|tracking-|space-|d-|col(?:-|$)|row$|container|wrapper$|inner$|clearfix|float-|pull-|block$|inline|relative$"
    r"|absolute$|overflow-|order-|align-|fw-|fs-|lh-|z-|truncate$|no-underline|left$|right$|center$|small$|large$|bold$"
    r"|box$)",
    re.IGNORECASE,
)


class Step(NamedTuple):
    """A part of a selector that describes one element."""

    css: str
    cost: float
    doubt: Doubt | None = None

    def __add__(self, other: object) -> "Step":
        """Both conditions on the same element."""
        assert isinstance(other, Step)
        return Step(self.css + other.css, self.cost + other.cost * 0.6, self.doubt or other.doubt)


@lru_cache(maxsize=8192)
def doubt_about(name: str) -> Doubt | None:
    """Why a class name or id may not last; None for a name that people chose."""
    if _HEAD.match(name) or _MODULE_HASH.search(name) or any(map(_MIXED.fullmatch, re.split(r"[-_]", name))):
        return Doubt.GENERATED
    return Doubt.LAYOUT if _LOOKS.match(name) or (len(name) < 3 and not name.islower()) else None


@lru_cache(maxsize=8192)
def is_of_one(name: str) -> bool:
    """Does the name tell one row from another, or one moment from another?"""
    return _OF_ONE.search(name) is not None and doubt_about(name) is not Doubt.GENERATED


def names_of(node: Element) -> list[str]:
    """The class names of an element that may be used in a selector."""
    names = (node.attr("class") or "").split()[:_MOST_CLASSES]
    return [name for name in names if _IDENT.fullmatch(name) and len(name) <= _LONGEST_NAME and not is_of_one(name)]


def lasting_names(node: Element) -> frozenset[str]:
    """Those class names that people chose."""
    return frozenset(name for name in names_of(node) if doubt_about(name) is None)


def steps_of(nodes: Sequence[Element], *, with_position: bool = False) -> list[Step]:
    """The steps that describe all these elements, the cheapest first."""
    tags = {node.tag for node in nodes}
    tag = _tag_step(nodes[0].tag) if len(tags) == 1 else None
    names = [_class_step(name) for name in names_of(nodes[0]) if all(node.has_class(name) for node in nodes)]
    attributes = list(_attribute_steps(nodes))
    steps = [*names, *attributes, *([_id_step(nodes[0])] if len(nodes) == 1 and _has_id(nodes[0]) else [])]
    found = [*steps, *(one + two for place, one in enumerate(names) for two in names[place + 1 :])]
    if tag is not None:
        found += [tag, *(Step(f"{tag.css}{step.css}", step.cost + 0.3, step.doubt) for step in steps)]
        if with_position:
            found += [Step(f"{tag.css}{css}", tag.cost + cost, doubt) for css, cost, doubt in _positions(nodes)]
    return sorted(found, key=lambda step: (step.cost, len(step.css)))


def _tag_step(tag: str) -> Step | None:
    if not _IDENT.fullmatch(tag):
        return None
    return Step(tag, _GENERIC_TAG if tag in _GENERIC else _TELLING_TAG)


def _class_step(name: str) -> Step:
    doubt = doubt_about(name)
    cost = {None: _CHOSEN, Doubt.LAYOUT: _LAYOUT}.get(doubt, _GENERATED)
    return Step(f".{name}", cost + len(name) / 200, doubt)


def _has_id(node: Element) -> bool:
    name = node.attr("id") or ""
    return (
        _IDENT.fullmatch(name) is not None
        and len(name) <= _LONGEST_NAME
        and doubt_about(name) is None
        and not is_of_one(name)
    )


def _id_step(node: Element) -> Step:
    return Step(f"#{node.attr('id')}", _CHOSEN)


def _attribute_steps(nodes: Sequence[Element]) -> Iterator[Step]:
    for name in _ATTRIBUTES:
        values = {node.attr(name) for node in nodes}
        if len(values) == 1 and _PLAIN.fullmatch(value := values.pop() or ""):
            yield Step(f'[{name}="{value}"]', _TELLING_ATTRIBUTE)
    if len(nodes) > 1 and (folder := _common_folder([node.attr("href") or "" for node in nodes])):
        yield Step(f'[href*="{folder}"]', _TELLING_ATTRIBUTE + 0.1)


def _common_folder(addresses: Sequence[str]) -> str | None:
    """The first folder of the path that all these addresses have: /jobs/."""
    folders = {found[1] if (found := _FOLDER.match(address)) else None for address in addresses}
    return folders.pop() if len(folders) == 1 else None


def _positions(nodes: Sequence[Element]) -> Iterator[tuple[str, float, Doubt | None]]:
    """Positions that all the elements have; of a table's cells they are its columns, which stay."""
    in_table = nodes[0].tag in ("td", "th")
    cost, doubt = (0.3, None) if in_table else (_POSITION, Doubt.POSITION)
    for css, place in ((":nth-child({})", _position), (":nth-of-type({})", _position_of_type)):
        places = {place(node) for node in nodes}
        if len(places) == 1:
            yield css.format(places.pop()), cost, doubt
    if all(_is_last(node) for node in nodes):
        yield ":last-child", cost, doubt


def _brothers(node: Element) -> list[Element]:
    around = parent_of(node)
    return [each for each in around if isinstance(each, Element)] if around is not None else [node]


def _position(node: Element) -> int:
    return _brothers(node).index(node) + 1


def _position_of_type(node: Element) -> int:
    return [each for each in _brothers(node) if each.tag == node.tag].index(node) + 1


def position_of_type(node: Element) -> int:
    """Its number among the elements of its name beside it."""
    return _position_of_type(node)


def _is_last(node: Element) -> bool:
    return _brothers(node)[-1] is node


def telling_apart(kept: Sequence[Element], left_out: Sequence[Element]) -> list[Step]:
    """The conditions that all of `kept` meet and none of `left_out`, the cheapest first."""
    if not left_out:
        return []
    of_kept, of_others = [_own(node) for node in kept], [_own(node) for node in left_out]
    found = [
        Step(f":not({css})", step.cost, step.doubt)
        for css, step in of_others[0].items()
        if all(css in own for own in of_others) and not any(css in own for own in of_kept)
    ]
    found += [
        step
        for css, step in of_kept[0].items()
        if all(css in own for own in of_kept) and not any(css in own for own in of_others)
    ]
    return sorted(found, key=lambda step: (step.cost, len(step.css)))


def _own(node: Element) -> dict[str, Step]:
    """What can be said of an element by its own names and by what is in it: css -> step."""
    classes = [name for name in (node.attr("class") or "").split()[:_MOST_CLASSES] if _IDENT.fullmatch(name)]
    found = {step.css: step for step in map(_class_step, classes)}
    for inner in islice(node.iter_elements(), _MOST_INSIDE):
        for name in names_of(inner):
            if (doubt := doubt_about(name)) is not Doubt.GENERATED:
                found.setdefault(f":has(.{name})", Step(f":has(.{name})", _CHOSEN + 0.6, doubt))
        if _ADDRESS.fullmatch(href := inner.attr("href") or ""):
            found.setdefault(f':has([href="{href}"])', Step(f':has([href="{href}"])', _LAYOUT))
        if _IDENT.fullmatch(inner.tag):
            found.setdefault(f":has({inner.tag})", Step(f":has({inner.tag})", _GENERIC_TAG + 0.6))
    return found
