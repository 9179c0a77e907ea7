"""Classifies a page by its words, compared without case, accents and punctuation."""

import re
from functools import lru_cache

from lamplighter.extract.single import page_vocabulary as words
from lamplighter.extract.words.field_words import bare, word_pattern


def _phrases(text: str) -> frozenset[str]:
    return frozenset(bare(phrase) for phrase in re.split(r"[,\n]", text) if phrase.strip())


_APPLY = _phrases(words.APPLY)
_BUY = _phrases(words.BUY)
#: a shop's words about its stock -> the schema.org value
_AVAILABILITY = {
    **dict.fromkeys(_phrases(words.IN_STOCK), "InStock"),
    **dict.fromkeys(_phrases(words.SOLD_OUT), "OutOfStock"),
    **dict.fromkeys(_phrases(words.PREORDER), "PreOrder"),
}
_SITE_PAGES = _phrases(words.SITE_PAGES)
_LISTING_HEADINGS = _phrases(words.LISTING_HEADINGS)
_ARTICLE_SECTIONS = _phrases(words.ARTICLE_SECTIONS)
_EVENT_SECTIONS = _phrases(words.EVENT_SECTIONS)
_GENERIC = frozenset(word for phrase in _phrases(words.GENERIC_TITLES) for word in phrase.split())
_LONGEST_NAME = 60
_AFTER_STOCK = re.compile(r"\s*[:;,.!(]|\s[-\u2013\u2014]\s")
_DIGITS = re.compile(r"\d+\+?")

#: words in addresses, titles and headings of postings
_JOB_WORDS = word_pattern(
    r"\b(?:jobs?|vacanc(?:y|ies)|careers?|openings?|positions?|recruit\w*|employment|internships?|consultanc(?:y|ies)"
    r"|hiring|requisition|stellen\w*|karriere|jobangebot\w*|ausschreibung\w*|emplois?|recrutement|carrieres?|postes?"
    r"|empleos?|vacantes?|trabajo|convocatoria|vagas?|emprego|carreiras?|lavoro|posizioni|carriera|vacatures?|werken"
    r"|praca|oferty|kariera|jobb|lediga|karriar|tjanst\w*|stilling\w*|ledige|tyopaik\w*|avoimet|rekry\w*|prace|volna"
    r"|ваканс\w*|работа|карьера|робота|is ilan\w*|kariyer|وظائف|وظيفة)|招聘|职位|職缺|求人|採用|募集|채용|구인"
)
#: how titles of postings say that they are open to all genders
_FOR_ANYBODY = re.compile(
    r"(?<![\w/.])(?:[mfwhvk]\s?/\s?[mfwhvk](?:\s?/\s?(?:[dxi*]|divers))?|[dx]/[mfw]/[mfw])(?![\w/])"
    r"|\([mfwhd]\s?[|,]\s?[mfwhd]|\ball genders\b",
    re.IGNORECASE,
)
_PATH_PARTS = re.compile(r"/+")
#: a heading with these words is about terms: "Cookie policy (EU)", "Privacy notice for applicants"
_LEGAL = word_pattern(
    r"\b(?:privacy (?:policy|notice|statement)|cookie (?:policy|notice|declaration)|terms (?:of|and) \w+"
    r"|data protection|datenschutz\w*|nutzungsbedingungen|impressum|politique de confidentialite|mentions legales"
    r"|conditions generales|politica de (?:privacidad|privacidade|cookies)|aviso legal|informativa (?:sulla )?privacy"
    r"|privacyverklaring|algemene voorwaarden|polityka prywatnosci|integritetspolicy|personvern\w*|privatlivspolitik"
    r"|tietosuojaseloste|ochrana osobnich udaju|политика конфиденциальности)\b|隐私政策|隱私權政策|プライバシーポリシー"
    r"|利用規約|개인정보처리방침"
)
_SHORT_HEADING = 7
_ENDING = re.compile(r"\.[a-z]{2,5}$")


@lru_cache(maxsize=8192)
def means_apply(name: str) -> bool:
    """Is this the name of a link or button to apply for a job?"""
    return len(name) <= _LONGEST_NAME and bare(name) in _APPLY


def means_buy(name: str) -> bool:
    """Is this the name of a link or button to buy?"""
    return len(name) <= _LONGEST_NAME and bare(name) in _BUY


def availability_in(text: str) -> str | None:
    """The availability in a line, as a schema.org value."""
    if len(text) > _LONGEST_NAME:
        return None
    # "In stock: dispatched within 24 hours", "3 in stock", "In stock (12)"
    said = (text, _AFTER_STOCK.split(text, maxsplit=1)[0], _DIGITS.sub("", text))
    return next((word for part in dict.fromkeys(said) if (word := _AVAILABILITY.get(bare(part)))), None)


def mentions_job(text: str) -> bool:
    """Is an address, a title or a heading about jobs?"""
    text = text[:500]
    return _FOR_ANYBODY.search(text) is not None or _JOB_WORDS.search(bare(text)) is not None


def is_site_page(url: str, heading: str) -> bool:
    """Is the page about its site (about us, contact, privacy, login, search), or its front page?"""
    words_of_heading = bare(heading)
    if words_of_heading in _SITE_PAGES:
        return True
    if _LEGAL.search(words_of_heading) and len(words_of_heading.split()) <= _SHORT_HEADING:
        return True
    path, _, query = url.partition("://")[2].partition("?")
    path = path.rstrip("/")
    if "/" not in path:
        # Some systems give every page the address of the front page and a number.
        return not query
    return bare(_ENDING.sub("", _PATH_PARTS.split(path)[-1])) in _SITE_PAGES


def is_in_article_section(url: str) -> bool:
    """Is the address below a section of articles: a blog, news, documentation?"""
    return not _ARTICLE_SECTIONS.isdisjoint(_sections(url))


def is_in_event_section(url: str) -> bool:
    """Is the address below a section of events?"""
    return not _EVENT_SECTIONS.isdisjoint(_sections(url))


def is_section_front(url: str) -> bool:
    """Is the address that of a section itself: /careers, /news?"""
    path, _, query = url.partition("://")[2].partition("?")
    return not query and is_listing_heading(_ENDING.sub("", path.rstrip("/").rpartition("/")[2]))


def _sections(url: str) -> list[str]:
    """The sections of an address: the folders of its path and the name in front of its domain."""
    host, _, path = url.partition("://")[2].partition("?")[0].partition("/")
    parts = [part for part in _PATH_PARTS.split(path) if part]
    return [bare(part) for part in (*parts[:-1], host.partition(".")[0])] if parts else []


def is_generic_title(title: str) -> bool:
    """Is the title generic: "Vacancy details", "Careers"?"""
    named = bare(title)
    return named in _LISTING_HEADINGS or _GENERIC.issuperset(named.split())


def is_listing_heading(heading: str) -> bool:
    """Is it the heading of a listing?"""
    return bare(heading) in _LISTING_HEADINGS
