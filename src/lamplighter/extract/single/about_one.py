"""Does a page say so much about one thing that the rows beside it are only related things?"""

from collections.abc import Sequence

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.single.body_text import body_lines
from lamplighter.extract.single.byline import GUESSED
from lamplighter.extract.single.detail import detail_records
from lamplighter.extract.single.headings import main_heading
from lamplighter.extract.single.main_text import has_prose, prose_of
from lamplighter.extract.single.offer import amount_of, has_buy_button
from lamplighter.extract.single.text_lines import lines_of
from lamplighter.extract.words.field_words import bare
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
#: and for each character of any number of other stories, beside one that is signed or dated itself
_SHORT_STORY, _TOLD_TO_ROWS = 400, 1 / 3
#: facts that rows about other stories have
_OF_STORIES = frozenset({"description", "author", "published_at"})


def is_about_one(shown: Sequence[list[RawRecord]], page: HtmlPage, wanted: RecordKind | None) -> bool:
    """Is the page about one thing, and not about the rows that it shows as well?"""
    is_bare = all(_is_bare(found) for found in shown)
    is_few = max(map(len, shown), default=0) <= _FEW_ROWS
    named = [str(record.fields["price"].value) for found in shown for record in found if "price" in record.fields]
    prices = {amount_of(price)[0] for price in named}
    # The page of a product may show others with their prices, but only the one can be bought there.
    is_shop = 2 * len(named) >= sum(map(len, shown)) > 0 and has_buy_button(page)
    heading = main_heading(page)
    is_named = heading is not None and heading.confirmed
    is_among = heading is not None and is_named and _is_among(heading.text, shown)
    is_prose = is_named and _are_stories(shown) and has_prose(page)
    if not (is_bare or is_shop or is_few or is_among or is_prose) or not (about := detail_records(page, wanted)):
        return False
    fields = about[0].fields
    is_posting = is_few and about[0].kind is RecordKind.JOB and len(_FACTS.intersection(fields)) >= _MANY_FACTS
    if is_among or (is_posting and _is_among(str(fields["title"].value), shown)):
        return True
    if is_prose and _is_told(about[0], shown, page):
        return True
    if is_bare and len(_FACTS.intersection(fields) - {"description"}) >= _MANY_FACTS:
        return True
    if is_few and _outweighs(about[0], shown, page):
        return True
    return is_shop and "price" in fields and fields["price"].value not in prices


def _is_among(title: str, shown: Sequence[list[RawRecord]]) -> bool:
    """Is one of the rows the thing that the page is about? Then the others are beside it."""
    own = bare(title)
    return any(bare(str(row.fields["title"].value)) == own for rows in shown for row in rows if "title" in row.fields)


def _are_stories(shown: Sequence[list[RawRecord]]) -> bool:
    """May the rows be other stories? Most of them have no facts that stories do not have."""
    rows = [row for found in shown for row in found]
    return sum(not (_FACTS - _OF_STORIES).isdisjoint(row.fields) for row in rows) * 2 <= len(rows)


def _is_told(about: RawRecord, shown: Sequence[list[RawRecord]], page: HtmlPage) -> bool:
    """Is it a signed or dated story in one piece, and the rows are not in it?"""
    signs = (about.fields.get(name) for name in ("author", "published_at"))
    if about.kind is not RecordKind.ARTICLE or not any(
        sign is not None and sign.confidence > GUESSED for sign in signs
    ):
        return False
    rows = [row for found in shown for row in found]
    body = body_lines(lines_of(page), str(about.fields["title"].value))
    said = sum(len(str(found.value)) for row in rows for found in row.fields.values())
    if sum(map(prose_of, body)) < max(_SHORT_STORY, _TOLD_TO_ROWS * said):
        return False
    text = "\n".join(line.text for line in body)
    titles = [str(row.fields["title"].value) for row in rows if "title" in row.fields]
    return sum(title in text for title in titles) * 2 < len(titles)


def _outweighs(about: RawRecord, shown: Sequence[list[RawRecord]], page: HtmlPage) -> bool:
    """Does the page say more about its own thing than a few rows do about theirs: a story, or facts that no row has?"""
    values = {str(found.value) for rows in shown for row in rows for found in row.fields.values()}
    if about.kind is RecordKind.ARTICLE:
        story = sum(map(prose_of, body_lines(lines_of(page), str(about.fields["title"].value))))
        return story >= max(_STORY, _STORY_TO_ROWS * sum(map(len, values)))
    own = {name for name in _FACTS.intersection(about.fields) if str(about.fields[name].value) not in values}
    return len(own - {"description", "author"}) >= _MANY_FACTS


def _is_bare(records: Sequence[RawRecord]) -> bool:
    """Do most of the rows have nothing but a title and an address?"""
    return sum(not _FACTS.isdisjoint(record.fields) for record in records) * 2 < len(records)
