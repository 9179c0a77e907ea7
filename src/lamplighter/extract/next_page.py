"""Which link leads to the next page? By recipe, rel=next, name, page number, and last by a link that shows more."""

import re
from collections.abc import Iterable
from functools import lru_cache
from string import whitespace

from turbohtml import Element

from lamplighter.extract.elements import select
from lamplighter.extract.html_page import HtmlPage, host_of
from lamplighter.extract.links import Anchor, excludes, says_nofollow
from lamplighter.extract.page_numbers import continues, counted_on, place_of
from lamplighter.model.recipe import Recipe
from lamplighter.rules.urls.urls import join

_NAMES = (
    "next|next page|go to next page|go to the next page|next page of results|next results|show next page|"
    "older|older posts|older entries|older articles|more results|"
    "weiter|nächste|nächste seite|nächste seite anzeigen|zur nächsten seite|ältere beiträge|"
    "suivant|suivante|page suivante|aller à la page suivante|"
    "siguiente|página siguiente|siguiente página|entradas anteriores|próxima|próximo|próxima página|seguinte|"
    "successivo|successiva|avanti|pagina successiva|volgende|volgende pagina|nästa|nästa sida|neste|næste|seuraava|"
    "następna|następna strona|další|ďalej|következő|следующая|следующая страница|далее|дальше|вперёд|вперед|наступна|"
    "sonraki|sonraki sayfa|下一页|下一頁|下页|次へ|次のページ|次ページ|다음|다음 페이지|التالي|الصفحة التالية"
)
_WORDS = frozenset(_NAMES.split("|"))
_BY_NAME, _BY_CLASS, _BY_ARROW, _BY_DOUBLE_ARROW, _NOT_AT_ALL = 0, 1, 2, 3, 99
_SINGLE_ARROWS = "\u203a\u2192>\u27e9\u276f"
_DOUBLE_ARROW = "\u00bb"
#: the double arrow often means the last page where a single one means the next, so it comes last
_ARROWS = {**dict.fromkeys(_SINGLE_ARROWS, _BY_ARROW), _DOUBLE_ARROW: _BY_DOUBLE_ARROW}
_AROUND_WORDS = f"{_SINGLE_ARROWS}{_DOUBLE_ARROW}{whitespace}\u00a0"

#: names and classes of a link to the last page
_LAST = re.compile(
    r"\b(?:last|end|letzten?|derni[eè]re?|[uú]ltim[oa]|laatste|ostatni[ae]?|sista|siste|sidste|viimeinen|posledn[ií]"
    r"|последн\w*|остання|son)\b|最后|最後|尾页|마지막|الأخيرة",
    re.IGNORECASE,
)
#: attributes in which buttons keep the address that a script loads
_FOR_SCRIPTS = ("data-url", "data-href", "data-next", "data-next-url", "data-next-page", "data-ajax-url", "hx-get")
_MOST_BUTTONS = 200

#: "slick-next" and the like turn slides, so a longer class must also be about pages
_CLASS = re.compile(r"next(?:-?posts-?link)?|nav-next|\S*pag\S*next\S*|\S*next\S*pag\S*", re.IGNORECASE)
_LONGEST_CLASSES = 200

#: what a listing counts, and what "more of it" or "the next of it" is called
_THINGS = (
    "pages?|results?|items?|jobs?|entries|posts?|episodes?|articles?|vacanc(?:y|ies)|records?|events?|products?|offers?"
    "|stories|news|treffer|ergebnisse|einträge|artikel|stellen|seiten?|résultats?|offres?|éléments?|articles?"
    "|resultados?|elementos?|ofertas?|vacantes?|vagas?|itens|risultati|elementi|annunci|resultaten|vacatures?|wyników"
    "|ofert|träffar|annonser|treff|resultater|tulosta|tulokset|výsledků|записей|вакансий|результатов|sonuç|ilan"
)
_NEXT_SOME = re.compile(
    rf"(?:next|nächsten?|volgende|successiv[ei]|prossim[ei]|siguientes|próxim[oa]s|suivante?s|następne|nästa|neste|næste"
    rf"|seuraavat|další(?:ch)?|следующие|наступні|sonraki) \d{{1,4}}(?: (?:{_THINGS}))?"
    rf"|\d{{1,4}} (?:suivante?s|siguientes|seguintes|successivi)|(?:next|older) (?:results|items|jobs"
    r"|entries|posts|episodes|articles|vacancies|records|events|products|offers|stories)",
    re.IGNORECASE,
)
_MORE = re.compile(
    rf"(?:load|show|view|see) (?:more|older)(?: (?:{_THINGS}))?|older(?: (?:{_THINGS}))?|more (?:{_THINGS})"
    rf"|(?:weitere|mehr|ältere)(?: (?:{_THINGS}))? (?:laden|anzeigen)|ältere(?: (?:{_THINGS}))?"
    rf"|(?:charger|afficher|voir) (?:plus|la suite)(?: d['\u2019e ]+(?:{_THINGS}))?"
    rf"|(?:cargar|ver|mostrar) más(?: (?:{_THINGS}))?|(?:carregar|ver|mostrar) mais(?: (?:{_THINGS}))?"
    rf"|(?:carica|mostra|vedi) altr[oie](?: (?:{_THINGS}))?|meer (?:{_THINGS} )?(?:laden|tonen)|(?:laad|toon) meer"
    rf"|(?:załaduj|pokaż|zobacz) więcej|(?:ladda|visa) fler(?: (?:{_THINGS}))?|(?:last inn|vis) flere"
    rf"|(?:indlæs|vis) flere|(?:lataa|näytä) lisää|(?:načíst|zobrazit) další"
    r"|(?:загрузить|показать|ещё|еще)(?: ещё| еще)?|(?:завантажити|показати) (?:ще|більше)|daha fazla(?: yükle"
    r"| göster)?|(?:تحميل|عرض) المزيد|加载更多|查看更多|载入更多|もっと見る|さらに読み込む|もっと読み込む|더 ?보기",
    re.IGNORECASE,
)
#: characters of a label, with the white space around it
_LONGEST_PHRASE = 60


def next_page(page: HtmlPage, anchors: list[Anchor], recipe: Recipe) -> str | None:
    """The next page of the listing; None when there is none, or when the page or the recipe forbids following it."""
    if page.directives.nofollow:
        return None
    found = _by_recipe(page, recipe.next) if recipe.next else _guessed(page, anchors)
    return None if found is None or excludes(recipe, found) else found


def _by_recipe(page: HtmlPage, selector: str) -> str | None:
    for node in select(page.tree, selector):
        link = next(iter(select(node, "[href]")), node)
        if says_nofollow(link.attr("rel") or ""):
            continue
        url = join(page.base, link.attr("href") or "")
        if url is not None and url != page.url:
            return url
    return None


def _guessed(page: HtmlPage, anchors: list[Anchor]) -> str | None:
    host = host_of(page.url)
    if page.next_in_head and page.next_in_head != page.url and host_of(page.next_in_head) == host:
        return page.next_in_head
    on_this_host = (f"https://{host}/", f"http://{host}/")
    place = place_of(page.url)
    alike: list[Anchor] = []
    best, best_rank = None, _NOT_AT_ALL
    for anchor in anchors:
        url, node, rel = anchor
        if not url.startswith(on_this_host):
            continue
        if rel and "next" in rel.lower().split():
            return url
        rank = _rank(node)
        if rank < best_rank and "disabled" not in (node.attr("class") or ""):
            best, best_rank = url, rank
        if url.startswith(place):
            alike.append(anchor)
    if best is not None and best_rank < _BY_DOUBLE_ARROW:
        return best
    # A double arrow alone may lead to the last page: the next number is more reliable.
    return counted_on(page.url, alike) or best or _by_more(page.url, alike) or _by_script(page)


def _rank(node: Element) -> int:
    """How surely a link leads to the next page, by its name or look: lower is surer."""
    text, classes = node.text, node.attr("class")
    by_text = _rank_of_text(text) if len(text) < _LONGEST_PHRASE else _NOT_AT_ALL
    if by_text == _BY_NAME:
        return _BY_NAME
    # Most links have an address and a class, and so no other name to look up.
    if len(node.attrs) > (2 if classes else 1) and _is_named(node):
        return _BY_NAME
    if classes and "next" in classes and any(_CLASS.fullmatch(name) for name in classes[:_LONGEST_CLASSES].split()):
        return _BY_CLASS
    return _NOT_AT_ALL if by_text == _BY_DOUBLE_ARROW and _is_last(node) else by_text


@lru_cache(maxsize=4096)
def _rank_of_text(text: str) -> int:
    """The same by its text alone, cached: every link of every page comes through here, and most names recur."""
    words = text.strip(_AROUND_WORDS)
    if words.casefold() in _WORDS or (words[-1:].isalnum() and _NEXT_SOME.fullmatch(" ".join(words.split()))):
        return _BY_NAME
    return _NOT_AT_ALL if words else _ARROWS.get(text.strip(), _NOT_AT_ALL)


def _is_last(node: Element) -> bool:
    """Is an arrow marked as leading to the last page?"""
    said = (node.attr(name) or "" for name in ("title", "aria-label", "class"))
    return any(_LAST.search(words[:_LONGEST_CLASSES].replace("_", "-")) for words in said if words)


def _by_more(url: str, anchors: Iterable[Anchor]) -> str | None:
    """The link that shows more of the same: many others have that name, but lead to another address."""
    return next((each.url for each in anchors if continues(url, each.url) and _says_more(each.node)), None)


def _by_script(page: HtmlPage) -> str | None:
    """The same for a button whose script loads more."""
    idle = [node for node in page.anchors if (node.attr("href") or "")[:1] == "#"]
    for node in page.tree.find_all("button")[:_MOST_BUTTONS] + idle[:_MOST_BUTTONS]:
        given = next((value for name in _FOR_SCRIPTS if (value := node.attr(name))), None)
        url = join(page.base, given) if given else None
        if url is not None and url != page.url and continues(page.url, url) and _says_more(node):
            return url
    return None


def _says_more(node: Element) -> bool:
    words = " ".join(node.text.split()).strip(_AROUND_WORDS)
    return 1 < len(words) < _LONGEST_PHRASE and (words.casefold() in _WORDS or _MORE.fullmatch(words) is not None)


def _is_named(node: Element) -> bool:
    labels = (node.attr("aria-label"), node.attr("title"))
    return any(label.strip(_AROUND_WORDS).casefold() in _WORDS for label in labels if label)
