"""What does a schema.org item say, in our field names? Where it stood, in JSON-LD or elsewhere, does not matter."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lamplighter.extract.markup import plain
from lamplighter.model.record import RecordKind
from lamplighter.rules.urls import LinkResolver

#: as JSON gives it: a plain dict, which is told apart much faster than any other mapping
Node = dict[str, Any]
#: items of the same page by their @id, for references
Index = Mapping[str, Node]

_ARTICLES = (
    "Article NewsArticle BlogPosting Report ScholarlyArticle TechArticle SocialMediaPosting LiveBlogPosting "
    "AnalysisNewsArticle BackgroundNewsArticle OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle "
    "AdvertiserContentArticle SatiricalArticle"
)
_PRODUCTS = "Product IndividualProduct ProductModel ProductGroup SomeProducts"
_KINDS = {
    "JobPosting": RecordKind.JOB,
    **dict.fromkeys(_ARTICLES.split(), RecordKind.ARTICLE),
    **dict.fromkeys(_PRODUCTS.split(), RecordKind.PRODUCT),
}


def kind_of(node: Node) -> RecordKind | None:
    """The kind of record an item is; None when it is something else."""
    given = node.get("@type")
    if isinstance(given, str) and given in _KINDS:
        return _KINDS[given]
    return next((_KINDS[name] for name in types_of(node) if name in _KINDS), None)


def types_of(node: Node) -> Iterator[str]:
    """The schema.org types of an item, without any prefix."""
    for name in _each(node.get("@type")):
        if isinstance(name, str):
            yield name.rpartition("/")[2].rpartition(":")[2]


def fields_of(node: Node, kind: RecordKind, *, resolver: LinkResolver, index: Index) -> dict[str, Any]:
    """The fields of a record that an item gives; what it leaves out is left out."""
    found = _READERS[kind](node, index)
    found["language"] = _text(node.get("inLanguage"))
    for name in ("url", "apply_url"):
        if given := found.get(name):
            found[name] = resolver.resolve(given)
    return {name: value for name, value in found.items() if value}


def _job(node: Node, index: Index) -> dict[str, Any]:
    places = [_address(place, index) for place in _each(node.get("jobLocation"))]
    return {
        "title": _text(node.get("title")) or _text(node.get("name")),
        "url": _text(node.get("url")),
        "guid": _text(node.get("identifier")),
        "organisation": _name(node.get("hiringOrganization"), index),
        "location": "; ".join(dict.fromkeys(", ".join(place) for place in places if place)),
        "country": next((place[-1] for place in places if place), None),
        "work_modality": "remote" if node.get("jobLocationType") == "TELECOMMUTE" else None,
        "published_at": _text(node.get("datePosted")),
        "deadline": _text(node.get("validThrough")),
        "description": _text(node.get("description")),
        "career_type": _texts(node.get("employmentType")),
        "salary": _salary(node.get("baseSalary")),
        "tags": _texts(node.get("occupationalCategory")),
    }


def _article(node: Node, index: Index) -> dict[str, Any]:
    authors = [_name(author, index) for author in _each(node.get("author"))]
    return {
        "title": _text(node.get("headline")) or _text(node.get("name")),
        "url": _text(node.get("url")) or _reference(node.get("mainEntityOfPage")),
        "guid": _text(node.get("identifier")),
        "organisation": _name(node.get("publisher"), index),
        "author": ", ".join(author for author in authors if author),
        "section": ", ".join(_texts(node.get("articleSection"))),
        "published_at": _text(node.get("datePublished")),
        "updated_at": _text(node.get("dateModified")),
        "description": _text(node.get("description")),
        "text": _text(node.get("articleBody")),
        "tags": _keywords(node.get("keywords")),
    }


def _product(node: Node, index: Index) -> dict[str, Any]:
    offer = next((offer for offer in _each(node.get("offers")) if isinstance(offer, dict)), {})
    return {
        "title": _text(node.get("name")),
        "url": _text(node.get("url")) or _text(offer.get("url")),
        "guid": _text(node.get("productID")) or _text(node.get("identifier")),
        "sku": _text(node.get("sku")) or _text(node.get("mpn")) or _text(node.get("gtin13")) or _text(node.get("gtin")),
        "brand": _name(node.get("brand"), index) or _name(node.get("manufacturer"), index),
        "organisation": _name(offer.get("seller"), index),
        "price": _text(offer.get("price")) or _text(offer.get("lowPrice")) or _price_specification(offer),
        "currency": _text(offer.get("priceCurrency")),
        "availability": _text(offer.get("availability")),
        "description": _text(node.get("description")),
        "tags": _texts(node.get("category")),
    }


_READERS: Mapping[RecordKind, Callable[[Node, Index], dict[str, Any]]] = {
    RecordKind.JOB: _job,
    RecordKind.ARTICLE: _article,
    RecordKind.PRODUCT: _product,
}


def _each(value: Any) -> list[Any]:
    """schema.org lets every property have one value or many."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _text(value: Any) -> str | None:
    """A value as plain text: the first of several, the @value or name of an object."""
    if value is None or isinstance(value, str):
        return (plain(value) or None) if value else None
    if isinstance(value, list):
        return next((text for item in value if (text := _text(item))), None)
    if isinstance(value, dict):
        return next((text for key in ("@value", "value", "name") if (text := _scalar(value.get(key)))), None)
    return _scalar(value)


def _scalar(value: Any) -> str | None:
    if isinstance(value, str):
        return plain(value) or None
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _texts(value: Any) -> list[str]:
    return [text for item in _each(value) if (text := _text(item))]


def _keywords(value: Any) -> list[str]:
    return [word.strip() for text in _texts(value) for word in text.split(",") if word.strip()]


def _name(value: Any, index: Index) -> str | None:
    """The name of a person or organisation, written out or referred to by its @id."""
    if isinstance(value, dict) and "name" not in value:
        value = index.get(str(value.get("@id")), value)
    return _text(value)


def _reference(value: Any) -> str | None:
    return _scalar(value.get("@id") or value.get("url")) if isinstance(value, dict) else _text(value)


def _address(place: Any, index: Index) -> list[str]:
    """Town, region and country of a place, as far as it names them."""
    if not isinstance(place, dict):
        return _texts(place)
    address = index.get(str(place.get("@id")), place).get("address", place)
    if not isinstance(address, dict):
        return _texts(address)
    parts = (address.get(key) for key in ("addressLocality", "addressRegion", "addressCountry"))
    return list(dict.fromkeys(text for part in parts if (text := _text(part))))


def _salary(value: Any) -> Any:
    """The range with its currency and period, or the bare text."""
    if not isinstance(value, dict):
        return _text(value)
    amount = value.get("value")
    bounds = amount if isinstance(amount, dict) else value
    exact = None if isinstance(amount, dict) else _text(amount)
    salary = {
        "min": _text(bounds.get("minValue")) or exact or _text(bounds.get("value")),
        "max": _text(bounds.get("maxValue")) or exact or _text(bounds.get("value")),
        "currency": _text(value.get("currency")) or _text(value.get("priceCurrency")),
        "period": _text(bounds.get("unitText")) or _text(value.get("unitText")),
    }
    return {name: part for name, part in salary.items() if part}


def _price_specification(offer: Node) -> str | None:
    specification = next((item for item in _each(offer.get("priceSpecification")) if isinstance(item, dict)), {})
    return _text(specification.get("price"))
