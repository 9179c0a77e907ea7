"""Does a page say so much about one thing that the rows beside it are only related things?"""

from collections.abc import Sequence

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.single.body_text import body_length
from lamplighter.extract.single.detail import detail_records
from lamplighter.extract.single.offer import has_buy_button
from lamplighter.extract.single.text_lines import lines_of
from lamplighter.model.record import RawRecord, RecordKind

#: fields that only the rows of a real listing have; a menu has titles and addresses
_FACTS = frozenset(
    "organisation location deadline published_at level career_type salary work_modality price sku brand availability "
    "description author".split()
)
#: so many facts about the page's own thing outweigh rows that have none, and a few rows in any case
_MANY_FACTS = 3
#: so few rows are as often related things as what the page is about
_FEW_ROWS = 6
#: characters of running text that are a story beside a few rows; and for each character of those rows
_STORY, _STORY_TO_ROWS = 600, 1.5


def is_about_one(shown: Sequence[list[RawRecord]], page: HtmlPage, wanted: RecordKind | None) -> bool:
    """Is the page about one thing, and not about the rows that it shows as well?"""
    is_bare = all(_is_bare(found) for found in shown)
    is_few = max(map(len, shown), default=0) <= _FEW_ROWS
    prices = {record.fields["price"].value for found in shown for record in found if "price" in record.fields}
    # The page of a product may show others with their prices, but only the one can be bought there.
    is_shop = bool(prices) and has_buy_button(page)
    if not (is_bare or is_shop or is_few) or not (about := detail_records(page, wanted)):
        return False
    fields = about[0].fields
    if is_bare and len(_FACTS.intersection(fields) - {"description"}) >= _MANY_FACTS:
        return True
    if is_few and _outweighs(about[0], shown, page):
        return True
    return is_shop and "price" in fields and fields["price"].value not in prices


def _outweighs(about: RawRecord, shown: Sequence[list[RawRecord]], page: HtmlPage) -> bool:
    """Does the page say more about its own thing than a few rows do about theirs: a story, or facts that no row has?"""
    values = {str(found.value) for rows in shown for row in rows for found in row.fields.values()}
    if about.kind is RecordKind.ARTICLE:
        story = body_length(lines_of(page), str(about.fields["title"].value))
        return story >= max(_STORY, _STORY_TO_ROWS * sum(map(len, values)))
    own = {name for name in _FACTS.intersection(about.fields) if str(about.fields[name].value) not in values}
    return len(own - {"description", "author"}) >= _MANY_FACTS


def _is_bare(records: Sequence[RawRecord]) -> bool:
    """Do most of the rows have nothing but a title and an address?"""
    return sum(not _FACTS.isdisjoint(record.fields) for record in records) * 2 < len(records)
