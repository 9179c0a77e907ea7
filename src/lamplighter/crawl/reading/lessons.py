"""Lessons in a reader process: learns recipes from examples, and writes pages as HTML that does nothing."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache

from lamplighter.crawl.reading.last_good import fields_to_learn, last_good, titles_to_learn
from lamplighter.crawl.reading.reader_messages import (
    Digest,
    LastGood,
    LessonDigest,
    LessonWork,
    PageWork,
    ShownWork,
)
from lamplighter.errors import BadInput
from lamplighter.extract import ladder
from lamplighter.extract.bounds import excess
from lamplighter.extract.charset import decode
from lamplighter.extract.sniff import BodyType, sniff
from lamplighter.extract.teaching.harmless import harmless
from lamplighter.extract.teaching.learning import learn
from lamplighter.extract.teaching.lesson import Example, Learned, ReadMark
from lamplighter.extract.teaching.marks import marks_of
from lamplighter.extract.teaching.places import NumberedPage, numbered, outline_of, pointed_at
from lamplighter.extract.teaching.pressing import pressed
from lamplighter.extract.teaching.rows import text_of
from lamplighter.model.reading import PageRole, Reading

_LONGEST_SAID = 120


def read(work: PageWork) -> Reading:
    """What the extraction ladder finds on a page."""
    return ladder.read(
        work.body,
        url=work.url,
        content_type=work.content_type,
        recipe=work.recipe,
        kind=work.kind,
        robots_tag=work.robots_tag,
        usage=work.usage,
        agent=work.agent,
        is_linked=work.role is PageRole.LINK,
        lists=work.lists,
        seen=work.seen,
    )


def teach(work: LessonWork, digested: Callable[[PageWork, Reading], Digest]) -> LessonDigest:
    """Learns from the examples, and reads the page and its versions with what was learned."""
    try:
        page = _numbered(work.page.body, work.page.content_type)
    except BadInput as error:
        return LessonDigest(trouble=str(error))

    @cache
    def before(body: bytes) -> Reading:
        """What is read under the recipe as it was."""
        return read(work.page._replace(body=body))

    # Only where a lesson begins: later its examples say more, and every press would read the versions twice.
    begins = work.from_last_good or not (work.examples or work.texts or work.press is not None)
    good = _last_good(work, page, before) if begins else None
    examples, learned, trouble, field = work.examples, Learned(), None, None
    try:
        if work.from_last_good and good is not None:
            examples = tuple(titles_to_learn(page, good.was)) or examples
        examples = (*examples, *pointed_at(page, work.texts))
        learned = learn(page, examples, before=work.page.recipe)
        if work.press is not None:
            # What cannot be used changes nothing.
            after = tuple(pressed(page, examples, work.press, learned, meaning=work.meaning))
            learned = learn(page, after, before=work.page.recipe)
            if not examples:
                marks = marks_of(page, before(work.page.body).records, url=work.page.url)
                after, learned = _with_what_was_read(work.page, page, after, learned, marks)
            examples = after
        elif work.from_last_good and good is not None:
            examples, learned = _with_what_was_read(work.page, page, examples, learned, good.was)
    except BadInput as error:
        trouble, field = str(error), error.field
    read_with = work.page._replace(recipe=learned.recipe or work.page.recipe)
    now = (lambda body: read(read_with._replace(body=body))) if learned.recipe else before
    reading = now(work.page.body)
    return LessonDigest(
        examples=examples,
        said=tuple(_said(page, example.place) for example in examples),
        learned=learned,
        digest=digested(read_with, reading),
        marks=tuple(marks_of(page, reading.records, url=work.page.url, next_page=reading.next_page)),
        outline=tuple(outline_of(page)),
        counts=tuple(len(now(body).records) for body in work.versions),
        last_good=good,
        trouble=trouble,
        field=field,
    )


def _last_good(work: LessonWork, page: NumberedPage, before: Callable[[bytes], Reading]) -> LastGood | None:
    """The last earlier version that the recipe before the lesson could read, if it cannot read the page as well."""
    older = work.versions[work.older :]
    return last_good(
        page,
        map(before, older),
        now=before(work.page.body),
        recipe=work.page.recipe,
        url=work.page.url,
        numbered=lambda number: _numbered(older[number], work.page.content_type),
    )


def _with_what_was_read(
    work: PageWork, page: NumberedPage, examples: tuple[Example, ...], learned: Learned, marks: Sequence[ReadMark]
) -> tuple[tuple[Example, ...], Learned]:
    """The examples with one for each field that was read in the same rows: nobody has to point at those."""
    for example in fields_to_learn(page, marks, rows=[row for row, _ in learned.rows]):
        with suppress(BadInput):
            more = (*examples, example)
            taught = learn(page, more, before=work.recipe)
            if len(taught.notes) == len(learned.notes):  # not what would be fragile: the reader finds it by itself
                learned, examples = taught, more
    return examples, learned


def shown(work: ShownWork) -> str:
    """The page as HTML that does nothing; a page that cannot be parsed says why."""
    try:
        page = _numbered(work.body, work.content_type)
    except BadInput as error:
        page = numbered(f"<p>{error}</p>")
    return harmless(page, head=work.head, foot=work.foot, with_styles=work.with_styles)


def _numbered(body: bytes, content_type: str | None) -> NumberedPage:
    kind = sniff(body, content_type)
    if kind is not BodyType.HTML:
        raise BadInput(f"this is {kind}, not an HTML page; write its recipe as JSON")
    html = decode(body, content_type)
    if reason := excess(html):
        raise BadInput(f"the page cannot be shown: it has {reason}")
    return numbered(html)


def _said(page: NumberedPage, place: int) -> str:
    if not 0 <= place < len(page.nodes):
        return ""
    node = page.nodes[place]
    return (text_of(node) or node.attr("alt") or node.tag)[:_LONGEST_SAID]
