"""Which links of a page may be followed?"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from turbohtml import Element

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.recipes.patterns import matches
from lamplighter.model.reading import Link, PageRole
from lamplighter.model.recipe import Recipe
from lamplighter.rules.urls.urls import LinkResolver

#: endings of addresses that are never pages
_ASSET_ENDINGS = (
    "jpg jpeg png gif webp avif svg ico bmp tif tiff css js mjs map wasm woff woff2 ttf otf eot pdf doc docx xls xlsx "
    "ppt pptx odt ods odp rtf epub zip gz tgz bz2 xz 7z rar tar iso dmg exe msi apk deb rpm jar mp3 mp4 m4a m4v ogg "
    "oga ogv wav flac avi mov mkv webm wmv flv swf ics vcf"
)
_ASSETS = frozenset(_ASSET_ENDINGS.split())
#: links that need not be resolved
_NEVER_PAGES = ("#", "mailto:", "tel:", "javascript:", "data:")
#: links that mean the same on every page of a site
_FROM_THE_TOP = ("/", "https://", "http://")
#: links that are cached for each site, and how long they may be
_MOST_ON_SITE, _LONGEST_ON_SITE = 512, 200


class Anchor(NamedTuple):
    """A link that may be followed, with its element."""

    url: str
    node: Element
    rel: str | None


def anchors_of(page: HtmlPage) -> list[Anchor]:
    """The links that may be followed, in document order, absolute and normalised; none if the page says nofollow."""
    if page.directives.nofollow:
        return []
    resolver, here = page.resolver, page.url
    anchors = []
    # Menu, list and footer link to the same pages: every address is checked once.
    on_site = _judged_on(resolver.origin) if resolver.origin else {}
    if len(on_site) >= _MOST_ON_SITE:
        on_site.clear()
    on_page: dict[str, str | None] = {}
    for node in page.anchors:
        href = node.attr("href") or ""
        judged = on_site if href in on_site else on_page
        if href not in judged:
            if href.startswith(_FROM_THE_TOP) and len(href) <= _LONGEST_ON_SITE and len(on_site) < _MOST_ON_SITE:
                judged = on_site
            judged[href] = _page_at(href, resolver)
        url = judged[href]
        if url is not None and url != here and not ((rel := node.attr("rel")) and says_nofollow(rel)):
            anchors.append(Anchor(url, node, rel))
    return anchors


@lru_cache(maxsize=256)
def _judged_on(origin: str) -> dict[str, str | None]:
    """A cache of the links of a site that mean the same on each of its pages; `anchors_of` fills it."""
    return {}


def _page_at(href: str, resolver: LinkResolver) -> str | None:
    """The address, if it may be that of a page."""
    url = None if href.startswith(_NEVER_PAGES) else resolver.resolve(href)
    return None if url is None or is_asset(url) else url


def as_links(urls: Iterable[str], *, next_page: str | None, recipe: Recipe) -> tuple[Link, ...]:
    """The URLs that the recipe allows, each once; the next page is always one of them."""
    distinct = dict.fromkeys(urls)
    if recipe.include or recipe.exclude:
        distinct = {url: None for url in distinct if admits(recipe, url)}
    if next_page is not None:
        distinct[next_page] = None
    return tuple([_link_to(url) if url != next_page else Link(url=url, role=PageRole.LISTING) for url in distinct])


@lru_cache(maxsize=16_384)
def _link_to(url: str) -> Link:
    return Link(url=url)


def admits(recipe: Recipe, url: str) -> bool:
    """Does the recipe allow this discovered URL?"""
    included = not recipe.include or any(matches(pattern, url) for pattern in recipe.include)
    return included and not excludes(recipe, url)


def excludes(recipe: Recipe, url: str) -> bool:
    """Does the recipe exclude this URL?"""
    return any(matches(pattern, url) for pattern in recipe.exclude)


def says_nofollow(rel: str) -> bool:
    """Does the link have rel=nofollow or the like?"""
    return "nofollow" in rel.lower().split()


def is_asset(url: str) -> bool:
    """Does the address end like an image, a style sheet, a download …?"""
    # The text behind the last dot of the path; if that dot is before the last slash, it is not a known ending.
    path = url.partition("?")[0] if "?" in url else url
    return path.rpartition(".")[2].lower() in _ASSETS
