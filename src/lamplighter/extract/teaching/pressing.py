"""What does somebody mean who presses an element, and which examples follow from it?"""

import re
from collections.abc import Sequence

from turbohtml import Element

from lamplighter.extract.elements import self_and_above
from lamplighter.extract.listing.places import looks_like_place
from lamplighter.extract.teaching.lesson import NEXT, TITLE, URL, WRONG, Example, Learned
from lamplighter.extract.teaching.places import NumberedPage
from lamplighter.extract.teaching.rows import text_of, way_up
from lamplighter.extract.words.field_words import field_for
from lamplighter.extract.words.value_types import ValueType, value_type

_BY_TYPE = {
    ValueType.DATE: "published_at",
    ValueType.AGO: "published_at",
    ValueType.LEFT: "deadline",
    ValueType.PRICE: "price",
}
_LABEL = re.compile(r"\s*([^:]{2,40}):")
_UNTIL = re.compile(
    r"\b(?:until|by|closes?|closing|deadline|expires?|apply|due|bis|frist|jusqu|limite|fecha l)\b", re.IGNORECASE
)
_LEADS_ON = re.compile(
    r"next|more|older|weiter|suivant|siguiente|próxim|volgende|successiv|[›»→>]|^\d{1,3}$", re.IGNORECASE
)
#: an address that counts pages or records
_PAGE = re.compile(
    r"[?&](?:p|pg|page|seite|pagina|from|start|offset|skip|first)=\d|/(?:page|seite|pagina)[/-]?\d", re.IGNORECASE
)
_LONGEST_LEADING_ON = 40
_TOWN_AND_LAND = re.compile(r"[A-Z\u00c0-\u00de][^\d,:;]{1,30}(?:, [A-Z\u00c0-\u00de][^\d,:;]{1,30}){1,2}")


def pressed(
    page: NumberedPage, examples: Sequence[Example], place: int, learned: Learned, *, meaning: str = ""
) -> list[Example]:
    """The examples after somebody pressed an element; `meaning` is what they say it is, empty to guess.

    What was pressed before is taken back when it is pressed again.
    """
    node = page.at(place)
    same = [each for each in examples if each.place == place]
    if same and meaning in ("", same[0].meaning):
        return [each for each in examples if each.place != place]
    others = [each for each in examples if each.place != place]
    meant = meaning or _guess(page, others, node, learned)
    if meant not in (TITLE, WRONG):
        # One example is enough to name a field, and the newest counts.
        others = [each for each in others if each.meaning != meant]
    return [*others, Example(meant, place)]


def _guess(page: NumberedPage, examples: Sequence[Example], node: Element, learned: Learned) -> str:
    if not any(each.meaning == TITLE for each in examples):
        return TITLE
    rows = dict(learned.rows)
    row = next((page.places[each] for each in self_and_above(node) if page.places.get(each) in rows), None)
    if row is None:
        return NEXT if _leads_on(node) else TITLE
    title = page.at(rows[row])
    if node in way_up(title) or title in way_up(node):
        return WRONG
    return _field(node, (page.tree.root.attr("lang") if page.tree.root is not None else None) or "en")


def _field(node: Element, language: str) -> str:
    """The field that a part of a row most likely is."""
    text = text_of(node)
    if node.tag == "img":
        return "image"
    label = _LABEL.match(text)
    named = field_for(label[1]) if label else None
    kind = value_type(text)
    if named in ("deadline", "published_at", "location", "price", "salary", "organisation", "author"):
        return named
    if node.tag == "time" or kind in (ValueType.DATE, ValueType.AGO, ValueType.LEFT):
        return "deadline" if _UNTIL.search(text) else _BY_TYPE.get(kind, "published_at") if kind else "published_at"
    if kind is ValueType.PRICE:
        return "price"
    if looks_like_place(text, language) or _TOWN_AND_LAND.fullmatch(text):
        return "location"
    if any(each.attr("href") is not None for each in way_up(node)[:2]):
        return URL
    return "description" if len(text) > 80 else "organisation"


def _leads_on(node: Element) -> bool:
    """Is it a link to the next page, by its words or by its address?"""
    text = text_of(node)
    link = next((each.attr("href") for each in way_up(node)[:3] if each.attr("href")), None)
    if link is None or len(text) > _LONGEST_LEADING_ON:
        return False
    return _LEADS_ON.search(text) is not None or _PAGE.search(link) is not None
