"""Removes decorations beside a title: bullets, arrows, "[New]"."""

import re
from functools import lru_cache

from lamplighter.extract.listing.rows import is_action

#: bullets, arrows, stars and dashes that decorate list items
_BEFORE = re.compile(
    r"[\s\u00b7\u2022\u2023\u2027\u2043\u2219\u25a0-\u25ff\u2605\u2606\u2660-\u2667\u2713-\u2714\u2794-\u27be\u30fb\uff65"
    r"\u203a\u00bb\u2192\u21d2\u276f>*|\u2013\u2014-]+(?=\S)"
)
_AFTER = re.compile(r"[\s\u00b7\u2022\u203a\u00bb\u2192\u276f>|\u2013\u2014]+$")
_IN_BRACKETS = re.compile(r"[\[(\u3010\uff08]\s*([^\])\u3011\uff09]{1,20})\s*[\])\u3011\uff09]")
#: an item number: signs and digits in one word
_CODE = re.compile(r"(?=\S*\d)[\w./#-]{3,30}")
#: words that name something
_NAMING_WORD = re.compile(r"[^\W\d_]{3,}")
_LONGEST_CODE = 40


@lru_cache(maxsize=4096)
def without_marks(title: str) -> str:
    """The title alone: no bullet before it, no arrow behind it, no "New" mark."""
    found = _BEFORE.match(title)
    if found:
        title = title[found.end() :]
    title = _AFTER.sub("", title)
    for mark in _IN_BRACKETS.finditer(title):
        if is_action(mark[1]) and (mark.start() == 0 or mark.end() == len(title)):
            return without_marks(title[: mark.start()] + title[mark.end() :]) or title
    return title.strip()


def is_code(text: str) -> bool:
    """Is the text the number of a thing, not its name: A-4711, "2 CA-CR 2013-0296"?"""
    if _CODE.fullmatch(text) is not None:
        return True
    digits = sum(map(str.isdigit, text)) if len(text) <= _LONGEST_CODE and text.isascii() else 0
    words = _NAMING_WORD.findall(text) if digits else ()
    return digits > 0 and (not words or (len(words) == 1 and 2 * digits >= sum(map(str.isalnum, text))))
