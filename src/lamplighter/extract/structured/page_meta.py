"""Reads a page's meta elements: OpenGraph, Twitter cards, Dublin Core, Highwire and the like."""

from collections.abc import Iterator, Mapping
from typing import Any

from lamplighter.extract.html_page import HtmlPage, folded, host_of
from lamplighter.extract.structured.meta_names import (
    ARTICLE_TYPES,
    JOB_TYPES,
    MEANING,
    PRODUCT_TYPES,
    SIGNS_OF_A_PRODUCT,
    SIGNS_OF_AN_ARTICLE,
    WRITTEN_BY,
)
from lamplighter.extract.structured.schema_values import words
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind

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
            return _without_site(values[0], metas)
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
