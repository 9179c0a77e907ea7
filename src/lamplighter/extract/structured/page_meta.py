"""Reads a page's meta elements: OpenGraph, Twitter cards, Dublin Core, Highwire and the like."""

from collections.abc import Iterator, Mapping
from typing import Any

from lamplighter.extract.html_page import HtmlPage, folded, host_of, once_a_page
from lamplighter.extract.structured.schema_values import words
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind

_SURE, _GOOD, _GENERIC = 0.80, 0.75, 0.65
#: the picture to be shown with the page is its main one; structured data list crops of it, or others
_CHOSEN = 0.92

#: field -> names, in lower case, the most reliable first
_NAMES: dict[str, tuple[tuple[float, str], ...]] = {
    "title": (
        (_SURE, "og:title citation_title"),
        (_GOOD, "twitter:title parsely-title sailthru.title dc.title dcterms.title"),
        (_GENERIC, "headline title"),
    ),
    "url": ((_SURE, "og:url"), (_GOOD, "parsely-link twitter:url")),
    "description": (
        (_SURE, "og:description"),
        (_GOOD, "twitter:description sailthru.description citation_abstract dc.description dcterms.description "
                "dcterms.abstract"),
        (_GENERIC, "description"),
    ),
    "published_at": (
        (_SURE, "article:published_time og:published_time og:article:published_time citation_publication_date"),
        (_GOOD, "parsely-pub-date sailthru.date citation_online_date citation_date dcterms.issued dc.date.issued "
                "dc.date dcterms.date dcterms.created dc.date.created"),
        (_GENERIC, "datepublished date_published publish_date publish-date publication_date published pubdate date "
                   "article.published article_date_original"),
    ),
    "updated_at": (
        (_SURE, "article:modified_time og:updated_time og:modified_time"),
        (_GOOD, "dcterms.modified dc.date.modified"),
        (_GENERIC, "last-modified lastmod datemodified date_modified modified revised article.updated"),
    ),
    "author": (
        (_SURE, "article:author og:article:author citation_author citation_authors"),
        (_GOOD, "parsely-author sailthru.author dc.creator dcterms.creator dc.contributor"),
        (_GENERIC, "author article:author_name byl byline"),
    ),
    "section": (
        (_SURE, "article:section og:article:section"),
        (_GOOD, "parsely-section"),
        (_GENERIC, "section"),
    ),
    "tags": (
        (_SURE, "article:tag og:article:tag citation_keywords"),
        (_GOOD, "parsely-tags sailthru.tags dc.subject dcterms.subject news_keywords"),
        (_GENERIC, "keywords"),
    ),
    "organisation": ((_GOOD, "citation_publisher dc.publisher dcterms.publisher"),),
    "language": (
        (_SURE, "og:locale"),
        (_GOOD, "citation_language dc.language dcterms.language"),
        (_GENERIC, "language content-language"),
    ),
    "image": ((_CHOSEN, "og:image og:image:url og:image:secure_url"), (_GOOD, "twitter:image twitter:image:src")),
    "price": (
        (_SURE, "product:sale_price:amount product:price:amount og:price:amount"),
        (_GENERIC, "price"),
    ),
    "currency": ((_SURE, "product:sale_price:currency product:price:currency og:price:currency"),),
    "availability": ((_SURE, "product:availability og:availability"),),
    "brand": ((_SURE, "product:brand og:brand"),),
    "sku": ((_SURE, "product:retailer_item_id product:sku og:sku"),),
}  # fmt: skip

#: name -> field and confidence; of the names of a field the most reliable come first
MEANING = {
    name: (field, confidence)
    for field, ranks in _NAMES.items()
    for confidence, names in ranks
    for name in names.split()
}

#: values of og:type
ARTICLE_TYPES = frozenset("article news newsarticle news.article blogpost blogposting blog_post post story".split())
PRODUCT_TYPES = frozenset("product product.item og:product product:item".split())
JOB_TYPES = frozenset("job jobposting job_posting job-posting job.posting job:posting vacancy".split())
#: names that only the page of a single product has
SIGNS_OF_A_PRODUCT = ("product:price:amount", "og:price:amount", "product:retailer_item_id")
#: names that only the page of a single article has
SIGNS_OF_AN_ARTICLE = (
    "article:published_time og:published_time og:article:published_time article:section article:tag article:author "
    "parsely-pub-date sailthru.date citation_title citation_publication_date datepublished pubdate publish_date "
    "publish-date publication_date dcterms.issued dc.date.issued"
).split()
#: labels of the author in the free pairs of a Twitter card
WRITTEN_BY = frozenset(
    "written by|by|author|verfasst von|geschrieben von|autor|écrit par|auteur|escrito por|autora|scritto da|autore|"
    "geschreven door|napisane przez|skriven av|skrevet av|skrevet af|kirjoittanut|napsal|автор|написано автором|"
    "написав|yazan|بقلم|كُتب بواسطة|作者|著者|執筆者|작성자|글쓴이".split("|")
)


_MOST_ELEMENTS = 500
_LONGEST = 20_000
_MOST_AUTHORS = 10
#: confidence in an author's name that is marked in the text of the page
_BY_REL, _BY_LABEL = 0.60, 0.70
#: separators between a title and the name of its site
_SEPARATORS = " |-\u2013\u2014\u00b7\u2022:\u00bb\u00ab\u203a<>/\u00a0"

#: names in lower case, with their values in document order
Metas = Mapping[str, list[str]]


def meta_records(page: HtmlPage, wanted: RecordKind | None = None) -> list[RawRecord]:
    """The one thing that the page is about, if its meta elements say that it is about one thing."""
    metas = _metas(page)
    kind = _kind(metas)
    if wanted is RecordKind.OTHER and kind is not None:
        kind = wanted
    if kind is None or wanted not in (None, kind):
        return []
    fields = _values(metas, page, kind)
    return [RawRecord(kind=kind, fields=fields)] if "title" in fields else []


def meta_values(page: HtmlPage) -> dict[str, Finding]:
    """Everything that the meta elements say about the page, in our field names, for any kind of page."""
    metas = _metas(page)
    return _values(metas, page, _kind(metas))


@once_a_page
def _metas(page: HtmlPage) -> Metas:
    found: dict[str, list[str]] = {}
    for node in page.metas[:_MOST_ELEMENTS]:
        # The two attributes are often mixed up, so both count for every name.
        name, content = node.attr("property") or node.attr("name"), node.attr("content")
        if name and content and (value := folded(content[:_LONGEST])):
            values = found.setdefault(name.strip().lower(), [])
            if value not in values:
                values.append(value)
    return found


def _kind(metas: Metas) -> RecordKind | None:
    """The kind that the page declares. Many sites call every page an article, so that word alone is not enough."""
    given = {value.lower() for value in metas.get("og:type", ())}
    if not given.isdisjoint(JOB_TYPES):
        return RecordKind.JOB
    if not given.isdisjoint(PRODUCT_TYPES) or any(name in metas for name in SIGNS_OF_A_PRODUCT):
        return RecordKind.PRODUCT
    if given and given.isdisjoint(ARTICLE_TYPES) and "article:published_time" not in metas:
        return None
    return RecordKind.ARTICLE if any(name in metas for name in SIGNS_OF_AN_ARTICLE) else None


def _values(metas: Metas, page: HtmlPage, kind: RecordKind | None) -> dict[str, Finding]:
    found: dict[str, Finding] = {}
    # The table has the most reliable names first, so the first that a page uses gives the field.
    for name, (field, confidence) in MEANING.items():
        if name in metas and field not in found and (value := _value(field, metas[name], metas, page)):
            found[field] = Finding(value, Method.META, confidence)
    if kind is RecordKind.ARTICLE:
        _add_author(found, metas, page)
        _add_publisher(found, metas)
    return found


def _value(field: str, values: list[str], metas: Metas, page: HtmlPage) -> Any:
    match field:
        case "tags":
            return list(dict.fromkeys(words(values)))
        case "author":
            return ", ".join(_names(values))
        case "title":
            # Some pages have the name of a widget there as well.
            shown = (value for value in values if page.title and value in page.title)
            return _without_site(next(shown, values[0]) if len(values) > 1 else values[0], metas)
        case "url":
            return _own_address(values[0], page)
        case "image":
            return page.resolver.resolve(values[0])
        case "section":
            return ", ".join(values)
        case _:
            return values[0]


def _names(values: list[str]) -> list[str]:
    """The values that are names: profile and account addresses occur there as well."""
    return [value for value in values if "://" not in value and not value.startswith(("@", "/", "www."))][
        :_MOST_AUTHORS
    ]


def _without_site(title: str, metas: Metas) -> str:
    """The title without the name of the site in front or behind, when the page says what that name is."""
    for site in (*metas.get("og:site_name", ()), *metas.get("application-name", ())):
        folded_title, folded_site = title.casefold(), site.casefold()
        if len(folded_title) != len(title) or len(folded_title) <= len(folded_site):
            continue
        rest = title[: -len(site)] if folded_title.endswith(folded_site) else title
        if rest != title and rest[-1] in _SEPARATORS and (rest := rest.rstrip(_SEPARATORS)):
            return rest
        rest = title[len(site) :] if folded_title.startswith(folded_site) else title
        # A blank alone does not separate them: "Acme opens a shop" is a title of Acme's.
        if rest != title and rest.lstrip()[:1] in _SEPARATORS[1:] and (rest := rest.lstrip(_SEPARATORS)):
            return rest
    return title


def _own_address(value: str, page: HtmlPage) -> str | None:
    """The address the page gives itself, when it is on this host and not that of the home page."""
    url = page.resolver.resolve(value)
    if url is None or host_of(url) != host_of(page.url):
        return None
    is_home = url.split("/", 3)[3] == ""
    return None if is_home and page.url.split("/", 3)[3] else url


def _add_author(found: dict[str, Finding], metas: Metas, page: HtmlPage) -> None:
    if "author" in found:
        return
    labelled = _names(list(_labelled(metas)))
    if labelled:
        found["author"] = Finding(labelled[0], Method.META, _BY_LABEL)
        return
    nodes = page.tree.select("a[rel~=author]")[:_MOST_AUTHORS]
    named = _names(list(dict.fromkeys(text for node in nodes if (text := folded(node.text)))))
    if named:
        found["author"] = Finding(", ".join(named), Method.META, _BY_REL)


def _labelled(metas: Metas) -> Iterator[str]:
    """Twitter cards have two free pairs of a label and a value."""
    for number in ("1", "2"):
        label, value = metas.get(f"twitter:label{number}"), metas.get(f"twitter:data{number}")
        if label and value and label[0].casefold().rstrip(":") in WRITTEN_BY:
            yield value[0]


def _add_publisher(found: dict[str, Finding], metas: Metas) -> None:
    """The owner of the site publishes its articles; for jobs and products this does not hold."""
    if "organisation" not in found and "og:site_name" in metas:
        found["organisation"] = Finding(metas["og:site_name"][0], Method.META, _BY_LABEL)
