"""A feed as its parser found it: texts that may contain markup, nothing resolved, nothing judged."""

import re
from typing import NamedTuple

_LONGEST_AUTHOR = 300
_EMAIL = re.compile(r"[^\s()<>,;:\"]+@[^\s()<>,;:\"]+")


class FeedEntry(NamedTuple):
    """One entry; "" where the feed has nothing."""

    title: str = ""
    link: str = ""
    guid: str = ""
    published: str = ""
    updated: str = ""
    summary: str = ""
    #: the full text, when the feed has it
    content: str = ""
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    image: str = ""


class ParsedFeed(NamedTuple):
    """The common result of both parsers."""

    entries: list[FeedEntry]
    title: str = ""
    language: str = ""
    #: minutes, as in RSS
    ttl: str = ""
    #: hourly, daily … and how often in that time, as in the syndication module
    period: str = ""
    frequency: str = ""
    #: authors of the whole feed, unless an entry says otherwise; RSS has only its editor
    authors: tuple[str, ...] = ()
    #: why the feed is not well-formed; None when it is
    flaw: str | None = None


def full_text(contents: list[str]) -> str:
    """The longest of several contents: podcasts repeat their summary as one."""
    return max(contents, key=len, default="")


def author_in(text: str) -> str:
    """The name in "ann@a.example (Ann)" and similar forms; the mail address when there is no name."""
    text = text[:_LONGEST_AUTHOR]
    found = _EMAIL.search(text) if "@" in text else None
    if found is None:
        return text
    return text.replace(found[0], "").strip(" ()<>") or found[0]
