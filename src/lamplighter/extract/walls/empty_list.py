"""Does a page say that it has nothing to list? Such a page is content: an empty list."""

from collections.abc import Iterable

from lamplighter.extract.html_page import HtmlPage, folded
from lamplighter.extract.words.field_words import bare, word_pattern

#: what lists have, in the words of "No vacancies"
_THINGS = (
    r"vacanc(?:y|ies)|jobs?|openings?|positions?|postings?|opportunit(?:y|ies)|roles?|results?|entries|items?|listings?"
    r"|offers?|articles?|news|posts?|products?|events?|matches|records|announcements?"
)
EMPTY = word_pattern(
    rf"^(?:sorry |unfortunately |currently |at present |at the moment )*(?:there (?:are|is) |we (?:currently )?have )?"
    rf"(?:currently |presently |at present |at the moment )?(?:no|0|zero) (?:\w+ ){{0,2}}?(?:{_THINGS})\b"
    r"|^nothing (?:here|found|to show|to display|yet|at the moment)\b|^(?:the|this) list is empty"
    r"|^(?:derzeit |aktuell |zurzeit |momentan )*(?:haben wir |gibt es )?(?:derzeit |aktuell )?keine (?:\w+ ){0,2}?"
    r"(?:stellen|stellenangebote|jobs|ergebnisse|eintrage|treffer|angebote|artikel)\b"
    r"|^(?:il n y a )?(?:actuellement )?aucune? (?:\w+ ){0,2}?(?:offre|poste|resultat|emploi|article|annonce)"
    r"|^(?:actualmente )?no hay (?:\w+ ){0,2}?(?:vacantes|ofertas|resultados|puestos|empleos|articulos)"
    r"|^(?:nao ha|sem) (?:\w+ ){0,2}?(?:vagas|resultados|ofertas)"
    r"|^nessun[ao]? (?:\w+ ){0,2}?(?:offert|risultat|posizion)"
    r"|^geen (?:\w+ ){0,2}?(?:vacatures|resultaten|banen)|^brak (?:\w+ ){0,2}?(?:ofert|wynikow)"
    r"|^(?:сейчас )?нет (?:\w+ ){0,2}?(?:вакансий|результатов)|^暂无(?:职位|数据|结果)|^没有(?:职位|结果)"
)
#: longer lines say something else: "No results count more than those of our field staff"
_LONGEST = 100
_MOST_LINES = 200
_SPOTS = "h1, h2, h3, h4, p, li, td, div, span, strong, em"


def says_that_it_is_empty(page: HtmlPage) -> bool:
    """Whether a heading or a short text of the page says that there is nothing to list."""
    return any(EMPTY.search(bare(text)) for text in _texts(page))


def _texts(page: HtmlPage) -> Iterable[str]:
    yield page.title or ""
    for node in page.tree.select(_SPOTS)[:_MOST_LINES]:
        text = folded(node.text)
        if 0 < len(text) <= _LONGEST:
            yield text
