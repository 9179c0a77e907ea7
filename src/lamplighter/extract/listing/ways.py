"""Are the rows of a region ways into the site and no records: departments, other sites, subscription plans?"""

import re
from collections.abc import Sequence

from lamplighter.extract.listing.evidence import has_facts, size_of
from lamplighter.extract.listing.flat import FlatRow
from lamplighter.extract.listing.ground import Ground
from lamplighter.extract.listing.regions import ELSEWHERE, UNLINKED, Region
from lamplighter.extract.listing.rows import segments

#: a site has no more departments than this, and names and describes each in so many characters
_MOST_WAYS, _LONGEST_NAME, _LONGEST_LINE = 12, 40, 80
#: share of rows that may differ from the others
_FEW = 0.3
#: an item number in an address, not a century in a name
_NUMBERED = re.compile(r"/\d+(?:[/.?-]|$)|\d{5,}|=\d+|[/-](?=[a-z]*\d)[0-9a-f]{6,}(?:/|$)")
_SIGN_UP = re.compile(
    r"/(?:sign-?up|register|registration|join|checkout|cart|subscribe|subscriptions?|trial|start|get-started|buy"
    r"|purchase|order|pricing|plans?)(?:[/?#.]|$)|[?&](?:plan|tier|package)=",
    re.IGNORECASE,
)
_EACH_PERIOD = re.compile(
    r"(?:/|\b(?:per|a|each|pro|im|par|al|por|ao|i|za|na)\s)\s?(?:mo|month|yr|year|user|seat|monat|jahr|mois|an|mes"
    r"|año|mês|ano|mese|anno|maand|jaar|miesiąc|rok|rocznie|mån|månad|måned|md|år|kk|měsíc|мес|месяц|год|ay|yıl)\b"
    r"|\b(?:monthly|yearly|annually|monatlich|jährlich|mensuel\w*|mensual|mensal|mensile|maandelijks|miesięcznie"
    r"|aylık|yıllık)\b|в месяц|на місяць|شهري|每月|/月|月額|매월|월 ",
    re.IGNORECASE,
)


def are_ways(region: Region, ground: Ground) -> bool:
    """Is it a menu in the form of a listing? Never where the page says that it lists jobs, news, products or events."""
    rows = region.rows
    if len(rows) > _MOST_WAYS or region.key == "table":
        return False
    if _are_plans(rows):
        return True
    if region.key in UNLINKED or any(has_facts(segments(row.parts)) for row in rows):
        return False
    return not ground.is_announced and (_lead_away(rows) or _are_departments(ground.page.url, rows))


def _are_plans(rows: Sequence[FlatRow]) -> bool:
    """Are they subscription plans whose links lead to a form to sign up?"""
    links = [row.link for row in rows if row.link]
    if len(links) < len(rows) or any(link.in_heading or not _SIGN_UP.search(link.url) for link in links):
        return False
    periods = sum(1 for row in rows if any(_EACH_PERIOD.search(part.text) for part in segments(row.parts)))
    return periods >= len(rows) / 2


def _lead_away(rows: Sequence[FlatRow]) -> bool:
    """Do all lead to other hosts, with no text beside their short names?"""
    return all(
        row.link is not None
        and row.link.pattern == ELSEWHERE
        and len(row.link.text) < _LONGEST_NAME
        and size_of(row) < len(row.link.text) + _LONGEST_NAME
        for row in rows
    )


def _are_departments(address: str, rows: Sequence[FlatRow]) -> bool:
    """Do they name the pages right below this one, each by a few words and at most a line?"""
    below = f"{address.partition('?')[0].rstrip('/')}/"
    urls = [row.link.url for row in rows if row.link]
    if len(urls) < len(rows) or not all(url.startswith(below) for url in urls):
        return False
    numbered = sum(1 for url in urls if _NUMBERED.search(url[len(below) - 1 :]))
    lengthy = sum(1 for row in rows if size_of(row) > _LONGEST_LINE)
    return numbered <= _FEW * len(rows) and lengthy <= _FEW * len(rows)
