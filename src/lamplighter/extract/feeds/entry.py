"""A feed as its parser found it: texts that may carry markup, nothing resolved, nothing judged."""

import re
from typing import NamedTuple

_LONGEST_AUTHOR = 300
_EMAIL = re.compile(r"[^\s()<>,;:\"]+@[^\s()<>,;:\"]+")


class FeedEntry(NamedTuple):
    """One entry; "" where the feed says nothing."""

    title: str = ""
    link: str = ""
    guid: str = ""
    published: str = ""
    updated: str = ""
    summary: str = ""
    #: the full text, when the feed carries it
    content: str = ""
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    image: str = ""


class ParsedFeed(NamedTuple):
    """What the two parsers agree on."""

    entries: list[FeedEntry]
    title: str = ""
    language: str = ""
    #: minutes, as RSS says it
    ttl: str = ""
    #: hourly, daily … and how often in that time, as the syndication module says it
    period: str = ""
    frequency: str = ""
    #: who writes all of it, unless an entry says otherwise; RSS knows only who answers for it
    authors: tuple[str, ...] = ()
    #: why the feed is not well-formed; None when it is
    flaw: str | None = None


def full_text(contents: list[str]) -> str:
    """The longest of several contents: podcasts repeat their summary as one."""
    return max(contents, key=len, default="")


def author_in(text: str) -> str:
    """The name in "ann@a.example (Ann)" and its like; the mail address when there is no name."""
    text = text[:_LONGEST_AUTHOR]
    found = _EMAIL.search(text) if "@" in text else None
    if found is None:
        return text
    return text.replace(found[0], "").strip(" ()<>") or found[0]
