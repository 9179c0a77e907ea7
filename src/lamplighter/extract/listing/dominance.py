"""Is a page about the listing on it, are its rows records and not navigation, and of which kind are they?"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.listing.choice import UNLINKED, Choice, has_facts, nearness, size_of
from lamplighter.extract.listing.flat import FlatRow
from lamplighter.extract.listing.regions import ELSEWHERE, Region
from lamplighter.extract.listing.rows import HEADINGS, segments, text_of
from lamplighter.extract.listing.tree import Box
from lamplighter.extract.listing.words import JOB_WORDS, NEWS_WORDS, OTHER_WORDS, RELATED, SHOP_WORDS
from lamplighter.extract.words.field_words import bare
from lamplighter.model.record import RecordKind

#: a text this long is prose, and so much of it may be a story
_PROSE = 90
_SOME_PROSE = 350
_SHORT_STORY = 150
#: characters of a row that count
_ROW_MASS = 400
#: words of a heading that names a listing, not a story
_SHORT_HEADING = 5
_TELLING_VALUE = 1.2
#: prose for one character of rows that a listing may have; and when a heading announces it
_BEARABLE, _BEARABLE_IF_ANNOUNCED = 3, 12
#: a page whose data describes one thing may still list many others
_MANY_ROWS = 8

_ITEM_TYPE = re.compile(
    r'"@type"\s*:\s*\[?\s*"(JobPosting|Product|NewsArticle|Article|BlogPosting|Event|Recipe|Report)"'
)

#: a site has no more departments than this, and names and describes each in so many characters
_MOST_WAYS, _LONGEST_NAME, _LONGEST_LINE = 12, 40, 80
#: share of rows that may differ from the others
_FEW = 0.3
_KINDS = (JOB_WORDS, NEWS_WORDS, SHOP_WORDS, OTHER_WORDS)
#: an item number in an address, not a century in a name
_NUMBERED = re.compile(r"/\d+(?:[/.?-]|$)|\d{5,}|=\d+|[/-](?=[a-z]*\d)[0-9a-f]{6,}(?:/|$)")
_SIGN_UP = re.compile(
    r"/(?:sign-?up|register|registration|join|checkout|cart|subscribe|subscriptions?|trial|start|get-started|buy"
    r"|purchase|order|pricing|plans?)(?:[/?#.]|$)|[?&](?:plan|tier|package)=",
    re.IGNORECASE,
)
_EACH_PERIOD = re.compile(
    r"(?:/|\b(?:per|a|each|pro|im|par|al|por|ao|i|za|na)\s)\s?(?:mo|month|yr|year|user|seat|monat|jahr|mois|an|mes"
    r"|año|mês|ano|mese|anno|maand|jaar|miesiąc|rok|rocznie|mån|månad|måned|md|år|kk|měsíc|мес|месяц|год|ay|yıl)\b"
    r"|\b(?:monthly|yearly|annually|monatlich|jährlich|mensuel\w*|mensual|mensal|mensile|maandelijks|miesięcznie"
    r"|aylık|yıllık)\b|в месяц|на місяць|شهري|每月|/月|月額|매월|월 ",
    re.IGNORECASE,
)

_WORDS = ((RecordKind.JOB, JOB_WORDS), (RecordKind.PRODUCT, SHOP_WORDS), (RecordKind.ARTICLE, NEWS_WORDS))
_OF_JOBS = frozenset({"level", "career_type", "work_modality", "salary"})
_OF_PRODUCTS = frozenset({"price", "sku", "brand", "availability"})
#: evidence below this is a coincidence
_ENOUGH = 2.0


def dominates(page: HtmlPage, choice: Choice, boxes: Sequence[Box], *, h1: Box | None) -> bool:
    """Is the page about the rows of this region?"""
    region = choice.region
    mass = sum(min(size_of(row), _ROW_MASS) for row in region.rows)
    paragraphs = list(_prose_outside(region, boxes))
    prose = sum(length for _, length in paragraphs)
    headings = _headings_above(region, boxes)
    nearest = bare(text_of(headings[-1])) if headings else ""
    # Does the page name what it is about before the heading of the region?
    has_own_heading = len(headings) > 1 and headings[0].tag == "h1"
    if RELATED.search(nearest) and (prose > _SOME_PROSE or has_own_heading):
        return False
    if _is_item_page(page) and (prose > 0.3 * mass or len(region.rows) < _MANY_ROWS):
        return False
    if h1 is not None and not _announces(bare(text_of(h1))):
        level = nearness(h1, region.rows[0].box)
        story = sum(length for box, length in paragraphs if nearness(h1, box) > level)
        if story > max(_SHORT_STORY, 0.4 * mass):
            return False
    if prose < _SOME_PROSE or prose <= 1.5 * mass:
        return True
    announced = _announces(nearest) and choice.value >= _TELLING_VALUE
    return prose <= (_BEARABLE_IF_ANNOUNCED if announced else _BEARABLE) * mass


def _announces(heading: str) -> bool:
    """Is the heading short, and is it about jobs, news or products?"""
    is_short = heading.count(" ") < _SHORT_HEADING
    return is_short and any(words.search(heading) for words in (JOB_WORDS, NEWS_WORDS, SHOP_WORDS))


def _is_item_page(page: HtmlPage) -> bool:
    """Does the page's own data describe a single thing?"""
    types: list[str] = []
    for block in page.data_blocks[:20]:
        text = block.text[:200_000]
        if "ItemList" in text or "CollectionPage" in text:
            return False
        types += _ITEM_TYPE.findall(text)
    return len(types) == 1


def _prose_outside(region: Region, boxes: Sequence[Box]) -> Iterator[tuple[Box, int]]:
    """The elements with running text outside all rows, and the length of that text."""
    spans = sorted((part.place, part.last) for row in region.rows for part in row.parts if not isinstance(part, str))
    starts = [start for start, _ in spans]
    for box in boxes:
        if box.worth < 1 or box.size < _PROSE:
            continue
        length = sum(len(part) for part in box.parts if isinstance(part, str))
        at = bisect_right(starts, box.place) - 1
        if length >= _PROSE and (at < 0 or box.place > spans[at][1]):
            yield box, length


def _headings_above(region: Region, boxes: Sequence[Box]) -> list[Box]:
    first = region.rows[0].box.place
    return [box for box in boxes[: max(first - 1, 0)] if box.tag in HEADINGS and box.worth == 1]


def are_ways(page: HtmlPage, region: Region, h1: Box | None) -> bool:
    """Is it a menu in the form of a listing? Never where the page says that it lists jobs, news, products or events."""
    rows = region.rows
    if len(rows) > _MOST_WAYS or region.key == "table":
        return False
    if _are_plans(rows):
        return True
    if region.key in UNLINKED or any(has_facts(segments(row.parts)) for row in rows):
        return False
    return not _is_announced(page, h1) and (_lead_away(rows) or _are_departments(page, rows))


def _is_announced(page: HtmlPage, h1: Box | None) -> bool:
    address = page.url.split("/", 3)[-1].lower()
    names = (bare(page.title or ""), bare(text_of(h1)) if h1 is not None else "", address)
    return any(words.search(name) for words in _KINDS for name in names)


def _are_plans(rows: Sequence[FlatRow]) -> bool:
    """Are they subscription plans whose links lead to a form to sign up?"""
    links = [row.link for row in rows if row.link]
    if len(links) < len(rows) or any(link.in_heading or not _SIGN_UP.search(link.url) for link in links):
        return False
    periods = sum(1 for row in rows if any(_EACH_PERIOD.search(part.text) for part in segments(row.parts)))
    return periods >= len(rows) / 2


def _lead_away(rows: Sequence[FlatRow]) -> bool:
    """Do all lead to other hosts, with no text beside their short names?"""
    return all(
        row.link is not None
        and row.link.pattern == ELSEWHERE
        and len(row.link.text) < _LONGEST_NAME
        and size_of(row) < len(row.link.text) + _LONGEST_NAME
        for row in rows
    )


def _are_departments(page: HtmlPage, rows: Sequence[FlatRow]) -> bool:
    """Do they name the pages right below this one, each by a few words and at most a line?"""
    below = f"{page.url.partition('?')[0].rstrip('/')}/"
    urls = [row.link.url for row in rows if row.link]
    if len(urls) < len(rows) or not all(url.startswith(below) for url in urls):
        return False
    numbered = sum(1 for url in urls if _NUMBERED.search(url[len(below) - 1 :]))
    lengthy = sum(1 for row in rows if size_of(row) > _LONGEST_LINE)
    return numbered <= _FEW * len(rows) and lengthy <= _FEW * len(rows)


def kind_of(
    page: HtmlPage, urls: Sequence[str], fields: Collection[str], headings: str, *, has_dates: bool
) -> RecordKind:
    """The kind that the fields, the addresses and the names of the page point to."""
    points: Counter[RecordKind] = Counter()
    points[RecordKind.JOB] += 2 * len(_OF_JOBS.intersection(fields)) + 2 * ("deadline" in fields)
    points[RecordKind.PRODUCT] += 3 * len(_OF_PRODUCTS.intersection(fields))
    points[RecordKind.ARTICLE] += 2 * ("author" in fields)
    texts = (bare(page.title or ""), bare(headings[:200]), _words_of(page.url))
    sample = [_words_of(url) for url in urls[:20]]
    others = sum(2 for text in texts if OTHER_WORDS.search(text))
    others += int(4 * sum(1 for url in sample if OTHER_WORDS.search(url)) / len(sample)) if sample else 0
    if others:
        # Tenders have closing dates too, and events have dates.
        points[RecordKind.OTHER] += others
        points[RecordKind.JOB] -= 2 * ("deadline" in fields)
    elif "apply_url" in fields:
        # Grants and courses have applications too, but those say what they are.
        points[RecordKind.JOB] += 2
    for kind, words in _WORDS:
        points[kind] += sum(2 for text in texts if words.search(text))
        if sample:
            points[kind] += int(4 * sum(1 for url in sample if words.search(url)) / len(sample))
    if has_dates and not (points[RecordKind.JOB] or points[RecordKind.PRODUCT] or points[RecordKind.OTHER]):
        points[RecordKind.ARTICLE] += 2
    kind, best = max(points.items(), key=lambda pair: pair[1])
    return kind if best >= _ENOUGH else RecordKind.OTHER


def _words_of(url: str) -> str:
    """The words of an address, without those of the item's own name."""
    path = url.partition("?")[0].split("/", 3)[-1].lower()
    head, _, last = path.rstrip("/").rpartition("/")
    host = url.split("/", 3)[2].lower()
    words = f"{host.replace('.', ' ')} {head.replace('/', ' ')}"
    return f"{words} {last}" if last.count("-") < 3 else words
