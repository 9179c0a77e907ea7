"""The page address of a JSON object, named or linked under its id, never composed; and what the keys of lists mean."""

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

from lamplighter.extract.answers.json_fields import plain_key
from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.links import is_asset
from lamplighter.model.record import RecordKind

#: keys that mean an address, best first; in lower case and without "_", "-" and blanks
_ADDRESSES = (
    "absoluteurl hostedurl canonicalurl permalink joburl vacancyurl postingurl detailurl detailsurl detailpageurl "
    "producturl articleurl pageurl publicurl htmlurl weburl fullurl url link href uri canonical externalurl "
    "externalpath detaillink urlpath relativeurl path pathname route slug urlslug"
).split()
#: keys whose value identifies the object, and so may end an address
_NAMES = (
    "slug urlslug seoname urlname handle path id jobid uuid guid externalid requisitionid productid articleid".split()
)
_RANK = {key: rank for rank, key in enumerate(_ADDRESSES)}
_NAME_RANK = {key: rank for rank, key in enumerate(_NAMES)}
_INSIDE = ("url", "href", "path", "current", "uri", "full", "absolute")
_MOST_KEYS = 300
_SHORTEST_NAME = 3
_LONGEST = 2_048
_NUMBER_AT_AN_END = re.compile(r"(?:^|[-_])([0-9]{3,})$|^([0-9]{3,})[-_]")

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+")

#: lists that are not what the page is about: navigation, and links to other things
ASIDE = frozenset(
    "nav navs navigation navigations navbar menu menus submenu footer header topbar breadcrumb breadcrumbs sitemap "
    "related similar recommended recommendation recommendations suggested trending popular mostread sidebar social "
    "socials translation translations locale locales hreflang i18n messages cookie cookies consent redirects routes "
    "banner banners advert adverts ads sponsors partners".split()
)
#: lists that classify or accompany the things of a page, but are not the things
OTHER_LISTS = frozenset(
    "categories category tags filters filter facets facet aggregations options sections languages countries regions "
    "cities locations departments links images media gallery videos files documents attachments authors users people "
    "team members editors pages tabs buttons icons sizes variants brands stores offices faqs faq questions steps logos "
    "testimonials reviews comments".split()
)
#: keys of menu entries
MENU_KEYS = frozenset(
    {"children", "icon", "submenu", "subItems", "items", "target", "menuItems", "order", "rel", "class"}
)

#: words that name what a list holds
KIND_WORDS = {
    RecordKind.JOB: frozenset(
        "job jobs vacancy vacancies position positions posting postings opening openings career careers stellen "
        "stellenangebote offre offres emploi emplois vacante vacantes empleo empleos vagas lavoro vacatures".split()
    ),
    RecordKind.ARTICLE: frozenset(
        "article articles news post posts story stories blog blogs press artikel nachrichten actualites noticias "
        "notizie nieuws".split()
    ),
    RecordKind.PRODUCT: frozenset("product products produkte produits productos prodotti producten catalog".split()),
}


class PageLinks:
    """The links of one page, by how they end."""

    def __init__(self, page: HtmlPage) -> None:
        self._page = page

    def link_of(self, item: Mapping[str, Any]) -> str | None:
        """The address of the object's own page; None when neither the object nor the page has it."""
        found = sorted((rank, text) for rank, text in self._given(item, _RANK) if text)
        for _, text in found:
            if (url := self._as_address(text)) is not None:
                return url
        names = sorted((rank, text) for rank, text in self._given(item, _NAME_RANK) if len(text) >= _SHORTEST_NAME)
        ends = self._by_ending
        return next((url for _, text in names if (url := ends.get(text.strip("/").lower()))), None)

    def is_linked(self, url: str) -> bool:
        """Does the page link there?"""
        return url in self._urls

    def _as_address(self, text: str) -> str | None:
        if text.startswith(("http://", "https://", "/")):
            url = self._page.resolver.resolve(text)
            return None if url is None or url == self._page.url or is_asset(url) else url
        # "jobs/7" may be relative to anything, so a link of the page must lead there.
        if "/" in text or "." in text or "?" in text:
            tried = (self._page.resolver.resolve(form) for form in (text, f"/{text}"))
            return next((url for url in tried if url is not None and url in self._urls), None)
        return None

    @staticmethod
    def _given(item: Mapping[str, Any], ranks: Mapping[str, int]) -> list[tuple[int, str]]:
        found = []
        for key, value in list(item.items())[:_MOST_KEYS]:
            rank = ranks.get(plain_key(key))
            if rank is None:
                continue
            if isinstance(value, dict):
                value = next((value[name] for name in _INSIDE if isinstance(value.get(name), str)), None)
            if isinstance(value, (str, int)) and not isinstance(value, bool) and len(text := str(value)) <= _LONGEST:
                found.append((rank, text.strip()))
        return found

    @cached_property
    def _urls(self) -> frozenset[str]:
        hrefs = {node.attr("href") or "" for node in self._page.anchors}
        resolved = (self._page.resolver.resolve(href) for href in hrefs if href and not href.startswith("#"))
        return frozenset(url for url in resolved if url is not None and url != self._page.url)

    @cached_property
    def _by_ending(self) -> Mapping[str, str]:
        """Last segments, numbers at one of their ends and parameter values -> the only address with it."""
        found: dict[str, set[str]] = {}
        for url in self._urls:
            path, _, query = url.partition("?")
            parameters = [part.partition("=")[2] for part in query.split("&")] if query else []
            segment = path.rstrip("/").rpartition("/")[2].lower()
            numbers = (_NUMBER_AT_AN_END.search(segment.rpartition(".")[0] or segment),)
            endings = {segment, segment.rpartition(".")[0], *parameters}
            endings.update(match[1] or match[2] for match in numbers if match)
            for ending in endings:
                if len(ending) >= _SHORTEST_NAME:
                    found.setdefault(ending.lower(), set()).add(url)
        return {ending: urls.pop() for ending, urls in found.items() if len(urls) == 1}


@lru_cache(maxsize=4096)
def words_in(key: str) -> tuple[str, ...]:
    """The words of a key, in lower case: relatedPosts and related_posts have two."""
    return tuple(word.lower() for word in _WORD.findall(key))
