"""Which link leads to the next page of a listing?

Asked in this order: the recipe, rel=next, what a link is called, and last the link that counts the page number on.
"""

import re
from collections.abc import Iterable
from string import whitespace

from lamplighter.extract.html_page import HtmlPage, host_of, select
from lamplighter.extract.links import Anchor, excludes, says_nofollow
from lamplighter.model.recipe import Recipe
from lamplighter.rules.urls import join

_NAMES = (
    "next|next page|go to next page|older|older posts|older entries|older articles|more results|"
    "weiter|nächste|nächste seite|zur nächsten seite|ältere beiträge|suivant|suivante|page suivante|"
    "siguiente|página siguiente|siguiente página|entradas anteriores|próxima|próximo|próxima página|seguinte|"
    "successivo|successiva|avanti|pagina successiva|volgende|volgende pagina|nästa|nästa sida|neste|næste|seuraava|"
    "następna|następna strona|další|ďalej|következő|следующая|следующая страница|далее|вперёд|вперед|наступна|"
    "sonraki|下一页|下一頁|次へ|次のページ|다음"
)
_WORDS = frozenset(_NAMES.split("|"))
_SINGLE_ARROWS = "\u203a\u2192>\u27e9\u276f"
_DOUBLE_ARROW = "\u00bb"
#: the double arrow often means the last page where a single one means the next, so it comes last
_ARROWS = {**dict.fromkeys(_SINGLE_ARROWS, 2), _DOUBLE_ARROW: 3}
_AROUND_WORDS = f"{_SINGLE_ARROWS}{_DOUBLE_ARROW}{whitespace}\u00a0"
_BY_NAME, _BY_CLASS, _NOT_AT_ALL = 0, 1, 99

#: "slick-next" and its like turn slides, so a longer class must also speak of pages
_CLASS = re.compile(r"next(?:-?posts-?link)?|nav-next|\S*pag\S*next\S*|\S*next\S*pag\S*", re.IGNORECASE)
_LONGEST_CLASSES = 200

_PAGE_NUMBER = re.compile(r"(?<=[?&])(page|paged|pg|p|pagenum|pageno|page_number|seite)=(\d{1,6})(?=&|$)")


def next_page(page: HtmlPage, anchors: list[Anchor], recipe: Recipe) -> str | None:
    """The next page of the listing; None when there is none, or when the page or the recipe forbids following it."""
    if page.directives.nofollow:
        return None
    found = _by_recipe(page, recipe.next) if recipe.next else _guessed(page, anchors)
    return None if found is None or excludes(recipe, found) else found


def _by_recipe(page: HtmlPage, selector: str) -> str | None:
    for node in select(page.tree, selector):
        attributes = (node.css_first("[href]") or node).attributes
        if says_nofollow(attributes.get("rel") or ""):
            continue
        url = join(page.base, attributes.get("href") or "")
        if url is not None and url != page.url:
            return url
    return None


def _guessed(page: HtmlPage, anchors: list[Anchor]) -> str | None:
    host = host_of(page.url)
    if page.next_in_head and page.next_in_head != page.url and host_of(page.next_in_head) == host:
        return page.next_in_head
    on_this_host = (f"https://{host}/", f"http://{host}/")
    here = [anchor for anchor in anchors if anchor.url.startswith(on_this_host)]
    return _by_rel(here) or _by_label(here) or _by_number(page.url, here)


def _by_rel(anchors: Iterable[Anchor]) -> str | None:
    for url, _, attributes in anchors:
        if (rel := attributes.get("rel")) and "next" in rel.lower().split():
            return url
    return None


def _by_label(anchors: Iterable[Anchor]) -> str | None:
    """The link that is called "next" in any of our languages, or the best of those that only look like it."""
    best, best_rank = None, _NOT_AT_ALL
    for url, node, attributes in anchors:
        classes = attributes.get("class") or ""
        rank = _rank(node.text(), attributes, classes)
        if rank < best_rank and "disabled" not in classes:
            best, best_rank = url, rank
    return best


def _rank(text: str, attributes: dict[str, str | None], classes: str) -> int:
    """How surely a link is the one to the next page: lower is surer."""
    # Every link of every page comes through here, so a label is not made any tidier than the comparison needs.
    words = text.strip(_AROUND_WORDS)
    if words.casefold() in _WORDS:
        return _BY_NAME
    if ("aria-label" in attributes or "title" in attributes) and _is_named(attributes):
        return _BY_NAME
    if "next" in classes and any(_CLASS.fullmatch(name) for name in classes[:_LONGEST_CLASSES].split()):
        return _BY_CLASS
    return _NOT_AT_ALL if words else _ARROWS.get(text.strip(), _NOT_AT_ALL)


def _is_named(attributes: dict[str, str | None]) -> bool:
    labels = (attributes.get("aria-label"), attributes.get("title"))
    return any(label.strip(_AROUND_WORDS).casefold() in _WORDS for label in labels if label)


def _by_number(url: str, anchors: Iterable[Anchor]) -> str | None:
    """The same address with the page number counted on by one; a page without a number is the first."""
    current = _PAGE_NUMBER.search(url)
    wanted = int(current[2]) + 1 if current else 2
    rest = _without_number(url)
    for anchor in anchors:
        found = _PAGE_NUMBER.search(anchor.url) if "?" in anchor.url else None
        if found and int(found[2]) == wanted and _without_number(anchor.url) == rest:
            return anchor.url
    return None


def _without_number(url: str) -> tuple[str, str]:
    path, _, query = url.partition("?")
    kept = [part for part in query.split("&") if not _PAGE_NUMBER.search(f"?{part}")]
    return path, "&".join(kept)
