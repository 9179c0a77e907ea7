"""Of which kind are the rows of a listing?"""

from collections import Counter
from collections.abc import Collection, Sequence

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.listing.words import JOB_WORDS, NEWS_WORDS, OTHER_WORDS, SHOP_WORDS
from lamplighter.extract.words.field_words import bare
from lamplighter.model.record import RecordKind

_WORDS = ((RecordKind.JOB, JOB_WORDS), (RecordKind.PRODUCT, SHOP_WORDS), (RecordKind.ARTICLE, NEWS_WORDS))
_OF_JOBS = frozenset({"level", "career_type", "work_modality", "salary"})
_OF_PRODUCTS = frozenset({"price", "sku", "brand", "availability"})
#: evidence below this is a coincidence
_ENOUGH = 2.0


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
