"""Classifies lists in a page's data by the names of their keys."""

import re
from functools import lru_cache

from lamplighter.model.record import RecordKind

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


@lru_cache(maxsize=4096)
def words_in(key: str) -> tuple[str, ...]:
    """The words of a key, in lower case: relatedPosts and related_posts have two."""
    return tuple(word.lower() for word in _WORD.findall(key))
