"""Builds the demo pages: small, semantic HTML from strings, without a template engine."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any

_STYLE = """
body{margin:0;font:16px/1.55 Georgia,serif;color:#22252a;background:#faf8f4}
header,main,footer{max-width:46rem;margin:0 auto;padding:1rem 1.25rem}
header{border-bottom:3px solid var(--accent)}
header a{font-size:1.5rem;font-weight:700;color:var(--accent);text-decoration:none}
header p{margin:.2rem 0 0;color:#6a6f78}
a{color:var(--accent)}
h1{line-height:1.2}
ul.cards{list-style:none;padding:0}
ul.cards li{padding:.8rem 0;border-bottom:1px solid #e3ded4}
.meta{color:#6a6f78;font-size:.9rem}
table{width:100%;border-collapse:collapse}
th,td{text-align:left;padding:.5rem;border-bottom:1px solid #e3ded4}
dt{font-weight:700}dd{margin:0 0 .6rem}
nav.pages{display:flex;justify-content:space-between;padding:1rem 0}
.price{font-size:1.4rem;font-weight:700}
footer{margin-top:2rem;border-top:1px solid #e3ded4;color:#6a6f78;font-size:.9rem}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteStyle:
    """What all pages of a site share."""

    name: str
    motto: str
    accent: str
    #: plain HTML of the footer
    footer: str
    #: more elements of every head, such as the link to a feed
    head: str = ""


def document(look: SiteStyle, title: str, body: str, *, head: str = "") -> str:
    """A whole page; `body` and `head` are HTML already."""
    name = escape(look.name)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)} · {name}</title>\n"
        f"<style>:root{{--accent:{look.accent}}}{_STYLE}</style>\n{look.head}{head}</head>\n<body>\n"
        f'<header><a href="/">{name}</a><p>{escape(look.motto)}</p></header>\n'
        f"<main>\n{body}</main>\n"
        f"<footer><p>{look.footer}</p><p>A fictional site, served by Lamplighter on this machine.</p></footer>\n"
        "</body>\n</html>\n"
    )


def json_ld(data: Mapping[str, Any]) -> str:
    """A schema.org block for the head."""
    # "</" inside a string would end the script element early.
    text = json.dumps({"@context": "https://schema.org", **data}, ensure_ascii=False, indent=1).replace("</", "<\\/")
    return f'<script type="application/ld+json">\n{text}\n</script>\n'


def link(href: str, text: str) -> str:
    """A link with plain text."""
    return f'<a href="{escape(href)}">{escape(text)}</a>'


def cards(items: Iterable[tuple[str, str, str]]) -> str:
    """A list of (href, title, line below)."""
    rows = (f'<li><h2>{link(href, title)}</h2><p class="meta">{escape(meta)}</p></li>' for href, title, meta in items)
    return '<ul class="cards">\n' + "\n".join(rows) + "\n</ul>\n"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """A description list of plain names and values."""
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs) + "</dl>\n"


def paragraphs(texts: Iterable[str]) -> str:
    """Plain texts as paragraphs."""
    return "".join(f"<p>{escape(text)}</p>\n" for text in texts)


def page_links(path: str, number: int, last: int) -> str:
    """Links to the previous and the next page, with the rel values that crawlers look for."""
    before = f'<a rel="prev" href="{path}?page={number - 1}">Previous</a>' if number > 1 else "<span></span>"
    after = f'<a rel="next" href="{path}?page={number + 1}">Next</a>' if number < last else "<span></span>"
    return f'<nav class="pages">{before}<span>Page {number} of {last}</span>{after}</nav>\n'


def spoken_date(moment: datetime) -> str:
    """A date as people write it."""
    return f"{moment.day} {moment:%B %Y}"
