"""Maps a schema.org item to our fields, whether from JSON-LD or elsewhere."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from lamplighter.extract.structured.schema_values import (
    Index,
    Node,
    address,
    dicts,
    each,
    image,
    images,
    name,
    names,
    offer_of,
    own_page,
    places,
    text,
    texts,
    words,
)
from lamplighter.model.record import RecordKind
from lamplighter.rules.urls.urls import LinkResolver

_ARTICLES = (
    "Article NewsArticle BlogPosting Report ScholarlyArticle MedicalScholarlyArticle TechArticle APIReference "
    "SocialMediaPosting DiscussionForumPosting LiveBlogPosting AnalysisNewsArticle AskPublicNewsArticle "
    "BackgroundNewsArticle OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle AdvertiserContentArticle "
    "SatiricalArticle"
)
_PRODUCTS = (
    "Product IndividualProduct ProductModel ProductGroup ProductCollection SomeProducts DietarySupplement "
    "Vehicle Car Motorcycle BusOrCoach MotorizedBicycle"
)
#: kinds of items that a source of other things may be about
_OTHERS = (
    "Event BusinessEvent ChildrensEvent ComedyEvent CourseInstance DanceEvent DeliveryEvent EducationEvent "
    "ExhibitionEvent Festival FoodEvent Hackathon LiteraryEvent MusicEvent PublicationEvent SaleEvent ScreeningEvent "
    "SocialEvent SportsEvent TheaterEvent VisualArtsEvent Course EducationalOccupationalProgram Recipe Movie Book "
    "Dataset VideoObject PodcastEpisode TVEpisode MusicAlbum SoftwareApplication MobileApplication WebApplication "
    "Grant MonetaryGrant RealEstateListing Accommodation Apartment House Trip Restaurant Hotel LodgingBusiness "
    "GovernmentService Service Legislation CreativeWork"
)
_KINDS = {
    name.casefold(): kind
    for kind, listed in (
        (RecordKind.JOB, "JobPosting"),
        (RecordKind.ARTICLE, _ARTICLES),
        (RecordKind.PRODUCT, _PRODUCTS),
    )
    for name in listed.split()
}
#: those of them that have a page of their own; the rest may be the site itself, a video in a text, an advertised app
_WITH_OWN_PAGE = frozenset(
    "event businessevent childrensevent comedyevent courseinstance danceevent educationevent exhibitionevent festival "
    "foodevent hackathon literaryevent musicevent screeningevent socialevent sportsevent theaterevent visualartsevent "
    "course recipe movie book dataset podcastepisode realestatelisting".split()
)
#: properties that only one type has, for items that forget to name it
_TYPE_BY_PROPERTIES = (
    (frozenset({"hiringOrganization", "datePosted"}), "jobposting"),
    (frozenset({"hiringOrganization", "jobLocation"}), "jobposting"),
    (frozenset({"recipeIngredient", "recipeInstructions"}), "recipe"),
)
_LONGEST_TYPE = 200
_MOST_IMAGES = 20
_OTHER_TYPES = frozenset(_OTHERS.casefold().split())


def kind_of(node: Node, wanted: RecordKind | None = None) -> RecordKind | None:
    """The kind of record of an item; None for types that the source, or a page about one thing, is not about."""
    types = types_of(node)
    known = next((_KINDS[found] for found in types if found in _KINDS), None)
    if known is not None:
        return known
    if wanted is None:
        return None if _WITH_OWN_PAGE.isdisjoint(types) else RecordKind.OTHER
    if wanted is RecordKind.OTHER and not _OTHER_TYPES.isdisjoint(types):
        return wanted
    # A book, an app, a course that is sold is a product to a source of products.
    is_sold = wanted is RecordKind.PRODUCT and "offers" in node and not _OTHER_TYPES.isdisjoint(types)
    return wanted if is_sold else None


def types_of(node: Node) -> list[str]:
    """The schema.org types of an item, in lower case and without any prefix."""
    given = node.get("@type")
    if isinstance(given, str):
        return [_bare(given)]
    if given is None:
        return [name for properties, name in _TYPE_BY_PROPERTIES if properties <= node.keys()][:1]
    return [_bare(found) for found in each(given) if isinstance(found, str)]


@lru_cache(maxsize=1024)
def _bare(name: str) -> str:
    return name[:_LONGEST_TYPE].strip().rstrip("/#").rpartition("/")[2].rpartition(":")[2].casefold()


def fields_of(node: Node, kind: RecordKind, *, resolver: LinkResolver, index: Index) -> dict[str, Any]:
    """The record fields of an item; missing ones are left out."""
    found = _READERS[kind](node, index)
    found["url"] = address(node.get("url")) or found.get("url") or own_page(node.get("@id"))
    found["image"] = image(node.get("image"), index) or image(node.get("thumbnailUrl"), index)
    found["description"] = text(node.get("description"))
    found["language"] = _language(node.get("inLanguage"))
    if kind is RecordKind.JOB and str(node.get("directApply")).casefold() == "true":
        found["apply_url"] = found["url"]
    for field in ("url", "apply_url", "image"):
        if given := found.get(field):
            found[field] = resolver.resolve(given)
    if several := found.get("images"):
        found["images"] = [resolver.resolve(given) for given in several]
    return {field: value for field, value in found.items() if value}


def _job(node: Node, index: Index) -> dict[str, Any]:
    modality = text(node.get("jobLocationType"))
    where = places(node.get("jobLocation"), index)
    countries = {place.country for place in where}
    if not where:
        required = dicts(node.get("applicantLocationRequirements"), index)
        where = places(required or node.get("applicantLocationRequirements"), index)
        countries = {text(place) for place in required if "country" in types_of(place)}
    return {
        "title": text(node.get("title")) or text(node.get("name")),
        "guid": text(node.get("identifier")),
        "organisation": name(node.get("hiringOrganization"), index),
        "location": "; ".join(place.words for place in where),
        # A posting for several countries has no country of its own.
        "country": countries.pop() if len(countries) == 1 else None,
        "work_modality": "remote" if modality and "telecommute" in modality.casefold() else modality,
        "published_at": text(node.get("datePosted")),
        "deadline": text(node.get("validThrough")),
        "career_type": words(node.get("employmentType")),
        "salary": _salary(node) or _salary(node, "estimatedSalary"),
        "tags": list(dict.fromkeys(texts(node.get("occupationalCategory")) + texts(node.get("industry")))),
    }


def _article(node: Node, index: Index) -> dict[str, Any]:
    length = text(node.get("wordCount"))
    return {
        "title": text(node.get("headline")) or text(node.get("name")),
        "url": own_page(node.get("mainEntityOfPage")),
        "guid": text(node.get("identifier")),
        "organisation": name(node.get("publisher"), index) or name(node.get("sourceOrganization"), index),
        "author": ", ".join(names(node.get("author"), index) or names(node.get("creator"), index)),
        "section": ", ".join(texts(node.get("articleSection"))),
        "published_at": _first_text(node, "datePublished", "coverageStartTime", "dateCreated"),
        "updated_at": text(node.get("dateModified")),
        "text": _first_text(node, "articleBody", "text"),
        "word_count": int(length) if length and length.isascii() and length.isdigit() and len(length) < 9 else None,
        "tags": words(node.get("keywords")),
    }


def _product(node: Node, index: Index) -> dict[str, Any]:
    offer = offer_of(node, index)
    rating = next(iter(dicts(node.get("aggregateRating"), index)), {})
    pictures = images(node.get("image"), index)[:_MOST_IMAGES]
    return {
        "title": text(node.get("name")),
        "url": offer.get("url"),
        "guid": _first_text(node, "productID", "productGroupID", "identifier"),
        "sku": _first_text(node, "sku", "mpn", "gtin13", "gtin", "gtin14", "gtin12", "gtin8", "isbn"),
        "brand": name(node.get("brand"), index) or name(node.get("manufacturer"), index),
        "organisation": offer.get("organisation"),
        "price": offer.get("price"),
        "currency": offer.get("currency"),
        "availability": offer.get("availability"),
        "tags": texts(node.get("category")),
        "category": text(node.get("category")),
        "rating": _rating(rating),
        "review_count": _first_text(rating, "reviewCount", "ratingCount"),
        "images": pictures if len(pictures) > 1 else None,
    }


def _other(node: Node, index: Index) -> dict[str, Any]:
    where = places(node.get("location"), index)
    owners = ("organizer", "publisher", "provider", "author")
    return {
        "title": text(node.get("name")) or text(node.get("headline")),
        "guid": text(node.get("identifier")),
        "organisation": next((found for key in owners if (found := name(node.get(key), index))), None),
        "author": ", ".join(names(node.get("author"), index)),
        "location": "; ".join(place.words for place in where),
        "published_at": _first_text(node, "datePublished", "dateCreated", "uploadDate"),
        "updated_at": text(node.get("dateModified")),
        "tags": words(node.get("keywords")),
    }


_READERS: Mapping[RecordKind, Callable[[Node, Index], dict[str, Any]]] = {
    RecordKind.JOB: _job,
    RecordKind.ARTICLE: _article,
    RecordKind.PRODUCT: _product,
    RecordKind.OTHER: _other,
}


def _first_text(node: Node, *keys: str) -> str | None:
    found: Iterator[str | None] = (text(node.get(key)) for key in keys)
    return next((said for said in found if said), None)


def _language(value: Any) -> str | None:
    """The language as a code, which an object has beside its name."""
    codes = (text(item.get("alternateName")) for item in each(value) if isinstance(item, dict))
    return next((code for code in codes if code), None) or text(value)


def _rating(rating: Node) -> dict[str, str] | None:
    """The value, and the best possible value where it is given."""
    said = {"value": text(rating.get("ratingValue")), "best": text(rating.get("bestRating"))}
    return {part: found for part, found in said.items() if found} if said["value"] else None


def _salary(node: Node, key: str = "baseSalary") -> Any:
    """The range with its currency and period, or the bare text."""
    value = next(iter(each(node.get(key))), None)
    if not isinstance(value, dict):
        return text(value)
    amount = next(iter(each(value.get("value"))), None)
    bounds = amount if isinstance(amount, dict) else value
    exact = None if isinstance(amount, dict) else text(amount)
    salary = {
        "min": text(bounds.get("minValue")) or exact or text(bounds.get("value")),
        "max": text(bounds.get("maxValue")) or exact or text(bounds.get("value")),
        "currency": _first_text(value, "currency", "priceCurrency") or text(node.get("salaryCurrency")),
        "period": text(bounds.get("unitText")) or text(value.get("unitText")),
    }
    # A currency or a period without an amount is what an empty form leaves behind.
    said = {part: found for part, found in salary.items() if found}
    return said if "min" in said or "max" in said else None
