"""Is a page an article? By its head, its frame and its address, before its text is extracted."""

import re
from collections.abc import Mapping

from turbohtml import Element

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.single import page_words
from lamplighter.extract.single.body_text import body_lines
from lamplighter.extract.single.byline import GUESSED, author_of, dates_of
from lamplighter.extract.single.headings import Heading, main_heading, meta_texts
from lamplighter.extract.single.main_text import has_prose, prose_length, prose_of, weight
from lamplighter.extract.single.text_lines import lines_of
from lamplighter.extract.structured.page_meta import ARTICLE_TYPES, meta_records, meta_values
from lamplighter.model.record import Finding, RecordKind

#: body classes by which content systems mark a static page
_SITE_PAGE = re.compile(
    r"(?:^|\s)(?:page-id-\d+|page-template\S*|type-page|node--type-page|page-node-type-page)(?=\s|$)"
)
#: and a post
_POSTED = re.compile(r"(?:^|\s)(?:single-post|postid-\d+|type-post|node--type-article|page-node-type-article)(?=\s|$)")
#: characters of running text that are a story, whatever is around them
_STORY = 800
#: and so many are an article where only the markup calls it one
_PIECE = 1_200
#: and so many in one piece below the heading, whatever the page calls it
_TREATISE = 5_000
_MOST_PARAGRAPHS = 200


def is_article(page: HtmlPage, shown: Mapping[str, Finding]) -> bool:
    """Is a page with running text an article? `shown` are the author and the dates that it shows.

    Prose alone is not enough: pages about a company have it, too. Every page of terms has a date of update, and some
    systems give every page an author and a date in its head.
    """
    if _is_placed_otherwise(page):
        return False
    if any(found.confidence > GUESSED for name, found in shown.items() if name in ("author", "published_at")):
        return True
    if _is_site_page_by_system(page):
        return False
    if "published_at" in shown or "published_at" in meta_values(page) or _POSTED.search(_body_names(page)):
        return True
    return page_words.is_in_article_section(page.url) or _is_composed(page)


def _is_composed(page: HtmlPage) -> bool:
    """Is the page one long text: one that its markup calls an article, one that explains code, or a very long one?"""
    articles = page.tree.find_all("article")
    kind = meta_texts(page, "og:type").get("og:type", "").lower()
    if len(articles) == 1:
        return kind in ARTICLE_TYPES or (articles[0].select_one("h1") is not None and _prose_in(articles[0]) >= _PIECE)
    main = page.tree.select_one("main, [role=main]")
    if main is not None and main.select_one("pre") is not None and _prose_in(main) >= _STORY:
        return True
    heading = main_heading(page)
    return heading is not None and sum(map(prose_of, body_lines(lines_of(page), heading.text))) >= _TREATISE


def _prose_in(node: Element) -> int:
    return sum(weight(paragraph.text) for paragraph in node.find_all("p")[:_MOST_PARAGRAPHS])


def is_not_article(page: HtmlPage, heading: Heading) -> bool:
    """Is the page no article by its name, its address, or its content system?"""
    return is_named_otherwise(page, heading) or _is_placed_otherwise(page) or _is_site_page_by_system(page)


def is_named_otherwise(page: HtmlPage, heading: Heading) -> bool:
    """Is the page about its site, or about many things, by its name or its address?"""
    return page_words.is_listing_heading(heading.text) or page_words.is_site_page(page.url, heading.text)


def is_story(page: HtmlPage) -> bool:
    """Is the page clearly an article by its head, its byline and much text, so that what repeats is secondary?"""
    meta = meta_records(page, None)
    if not meta or meta[0].kind is not RecordKind.ARTICLE or "published_at" not in meta[0].fields:
        return False
    heading = main_heading(page)
    if heading is None or not heading.confirmed or is_not_article(page, heading):
        return False
    if page_words.mentions_job(f"{page.url} {heading.text}") or not has_prose(page):
        return False
    lines = lines_of(page)
    if prose_length(lines) < _STORY:
        return False
    if not {"author", "section"}.isdisjoint(meta[0].fields):
        return True
    shown = dates_of(page, lines, heading)
    return "published_at" in shown or author_of(page, lines, heading) is not None


def _is_placed_otherwise(page: HtmlPage) -> bool:
    return page_words.is_in_event_section(page.url) or page_words.is_section_front(page.url)


def _is_site_page_by_system(page: HtmlPage) -> bool:
    articles = page.tree.find_all("article")
    names = (articles[0].attr("class") or "")[:1000] if len(articles) == 1 else ""
    return _SITE_PAGE.search(f"{_body_names(page)} {names}") is not None


def _body_names(page: HtmlPage) -> str:
    return (page.body.attr("class") or "")[:1000] if page.body is not None else ""
