"""Is this page something else instead of content? A page may come with status 200 and yet be a wall.

Precision comes first: a wall that is taken for a page costs one poor record, a page that is taken for a wall is lost.
So words alone never decide; there must also be next to nothing else to read.
"""

import re
from collections.abc import Sequence
from enum import StrEnum

from lamplighter.extract.html_page import HtmlPage, folded
from lamplighter.extract.single.labels import labelled_values
from lamplighter.extract.single.main_text import prose_length
from lamplighter.extract.single.text_lines import TextLine, lines_of
from lamplighter.extract.walls import obstacle_words as words
from lamplighter.extract.words.field_words import bare


class PageObstacle(StrEnum):
    """What the page is instead of content, as the run's message names it."""

    CHALLENGE = "a bot challenge"
    LOGIN = "a login page"
    NOT_FOUND = "a page-not-found page"
    ERROR = "an error page"
    PARKED = "a parked domain"
    CONSENT = "a consent page"
    SCRIPT = "needs JavaScript"


#: characters of the title and of each heading that are read
_LONGEST_NAME = 120
_MOST_HEADINGS, _MOST_PARTS = 3, 4
_BETWEEN = re.compile(r"\s*\|\s*|\s+[-\u2013\u2014\u00b7]\s+|:\s+")
#: more running text, or more links in the content, than this is content, whatever the heading says
_MUCH_PROSE = 900
_MANY_LINKED = 12
#: so are labelled values: "Head of Site Maintenance" is a post, if it has a place and a deadline
_FACTS = 2
_LITTLE_TEXT, _NEXT_TO_NOTHING = 600, 150
#: with fewer links than this a page may be a wall that its title does not show
_FEW_ANCHORS = 12
_ROOTS = "#root, #app, #__next, #__nuxt, #___gatsby, app-root, [ng-app], [data-reactroot], [id$=-root], [id$=-app]"
_FIELDS = "input[type=text], input[type=email], input[type=search], input:not([type]), textarea, select"
_CAPTCHAS = (
    "[class*=captcha i], [id*=captcha i], iframe[src*=captcha i], iframe[src*=challenge i], form[id*=challenge i]"
)

#: patterns of titles and headings, the most reliable first
_BY_NAME: tuple[tuple[re.Pattern[str], PageObstacle], ...] = (
    (words.NOT_FOUND, PageObstacle.NOT_FOUND),
    (words.CHALLENGE, PageObstacle.CHALLENGE),
    (words.ERROR, PageObstacle.ERROR),
    (words.PARKED, PageObstacle.PARKED),
    (words.CONSENT, PageObstacle.CONSENT),
    (words.AGE, PageObstacle.CONSENT),
)


def obstacle(page: HtmlPage) -> str | None:
    """What the page is instead of content; None when it may be content."""
    names = _names(page)
    suspected = next((found for pattern, found in _BY_NAME if any(pattern.search(name) for name in names)), None)
    asks_password = page.tree.select_one("input[type=password]") is not None
    if suspected is None and not asks_password and len(page.anchors) >= _FEW_ANCHORS:
        return None
    lines = lines_of(page)
    if prose_length(lines) > _MUCH_PROSE or sum(line.linked > 0 for line in lines if line.in_content) > _MANY_LINKED:
        return None
    if len(labelled_values(lines)) >= _FACTS:
        return None
    if suspected is not None:
        return suspected
    if asks_password:
        return PageObstacle.LOGIN if _is_login(names, lines) else None
    return _unnamed(page, lines)


def _names(page: HtmlPage) -> list[str]:
    """The names of the page: its title and its parts, and its first headings."""
    headings = [folded(node.text) for node in page.tree.find_all("h1")[:_MOST_HEADINGS]]
    if not headings:
        headings = [folded(node.text) for node in page.tree.find_all("h2")[:1]]
    title = page.title or ""
    texts = dict.fromkeys((title, *_BETWEEN.split(title)[:_MOST_PARTS], *headings))
    return list(dict.fromkeys(bare(text[:_LONGEST_NAME]) for text in texts if text))


def _is_login(names: Sequence[str], lines: Sequence[TextLine]) -> bool:
    """Is the form all there is? Many pages have a small one in a corner."""
    shown = sum(len(line.text) for line in lines if line.in_content)
    says_so = any(words.LOGIN.search(name) for name in names)
    return shown < (_LITTLE_TEXT if says_so else _NEXT_TO_NOTHING)


def _unnamed(page: HtmlPage, lines: Sequence[TextLine]) -> PageObstacle | None:
    """The obstacle of a page with few links whose title does not show it."""
    text = "\n".join(line.text for line in lines)[: 2 * _LITTLE_TEXT]
    if words.DUMP.search(text):
        return PageObstacle.ERROR
    if len(text) > _LITTLE_TEXT:
        return None
    tree = page.tree
    # A frame may contain the challenge, and its text is shown only where frames are not supported.
    plain = bare(
        text or folded(" ".join(node.text for node in tree.find_all("iframe")[:_MOST_HEADINGS]))[:_LITTLE_TEXT]
    )
    is_captcha = tree.select_one(_CAPTCHAS) is not None or len(text) < _NEXT_TO_NOTHING * 2
    if is_captcha and words.CHALLENGE.search(plain) and tree.select_one(_FIELDS) is None:
        return PageObstacle.CHALLENGE
    if words.PARKED.search(plain):
        return PageObstacle.PARKED
    return PageObstacle.SCRIPT if len(text) < _NEXT_TO_NOTHING and _waits_for_scripts(page, plain) else None


def _waits_for_scripts(page: HtmlPage, plain: str) -> bool:
    """Is there next to nothing but scripts, and an element for them to fill?"""
    tree = page.tree
    if tree.find("script") is None:
        return False
    hints = (plain, *(bare(folded(node.text)[:_LITTLE_TEXT]) for node in tree.find_all("noscript")[:_MOST_HEADINGS]))
    if not plain or any(words.SCRIPT.search(hint) for hint in hints):
        return True
    root = tree.select_one(_ROOTS)
    return root is not None and not folded(root.text)
