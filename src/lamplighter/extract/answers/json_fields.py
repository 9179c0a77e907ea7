"""Maps the keys of a JSON object to our field names: keys of APIs and of page scripts, in every common spelling."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from lamplighter.extract.answers.json_path import text_of
from lamplighter.extract.html_page import plain

#: field -> keys that mean it, best first; in lower case and without "_", "-" and blanks
_KEYS: Mapping[str, str] = {
    "title": "title jobtitle positiontitle postingtitle vacancytitle headline name jobname productname articletitle "
    "newstitle displaytitle displayname heading titletext titel titre titulo titolo position subject text",
    "guid": "guid uuid id objectid jobid vacancyid postingid requisitionid requisitionnumber reqid externalid "
    "articleid productid reference referencenumber refnumber",
    "organisation": "organisation organization organisationname organizationname company companyname employer "
    "employername hiringorganization hiringcompany advertiser agency agencyname publisher",
    "location": "location locations joblocation joblocations primarylocation locationname locationstext worklocation "
    "dutystation place city cityname town ort standort lieu ville ubicacion office offices workplace",
    "country": "country countrycode countryiso countryname addresscountry",
    "deadline": "deadline applicationdeadline applicationdeadlinedate closingdate closingdatetime closedate closeson "
    "closesat closingon applyby applybefore applybydate expirydate expirationdate expiresat expireson expires "
    "validthrough validuntil lastapplicationdate dateclosing",
    "published_at": "publishedat datepublished publisheddate publishdate publishedon publisheddatetime publishdatetime "
    "publicationdate pubdate published publishtime publishedtime firstpublishedat firstpublished postedat posteddate "
    "dateposted postedon postdate postingdate releasedate displaydate createdat datecreated createddate createdon "
    "created date datetime timestamp",
    "updated_at": "updatedat datemodified modifiedat lastmodified lastmodifiedat lastupdated lastupdatedat updateddate "
    "dateupdated modifieddate updatedon updated modified",
    "description": "description shortdescription summary excerpt teaser teasertext abstract standfirst intro introtext "
    "dek deck lead snippet descriptionplain jobdescription body content",
    "author": "author authors authorname byline writer creator",
    "section": "section sectionname primarysection rubric ressort",
    "tags": "tags keywords topics categories category labels",
    "price": "price currentprice saleprice finalprice sellingprice pricevalue minprice lowprice",
    "currency": "currency currencycode pricecurrency currencyiso",
    "availability": "availability availabilitystatus stockstatus instock isinstock available isavailable",
    "sku": "sku mpn productcode articlenumber itemnumber",
    "brand": "brand brandname manufacturer vendor",
    "apply_url": "applyurl applicationurl applylink applicationlink",
    "salary": "salary salaryrange salarytext compensation payrange",
    "career_type": "employmenttype contracttype jobtype worktype typeofcontract employment timetype commitment",
    "work_modality": "workplacetype remotetype worklocationtype workmodel workmodality modality",
    "level": "level seniority senioritylevel experiencelevel joblevel careerlevel grade",
    "image": "image imageurl thumbnail thumbnailurl picture coverimage cover photo featuredimage mainimage",
    "language": "language lang inlanguage languagecode",
    "text": "articlebody fulltext",
}
_MEANING = {key: (field, rank) for field, keys in _KEYS.items() for rank, key in enumerate(keys.split())}
_NOT_IN_KEYS = re.compile(r"[\W_]+")
_LONGEST_KEY = 60
_MOST_KEYS = 300

#: keys of an object that hold its text
_WORDS = ("name", "title", "rendered", "label", "text", "value", "displayName", "display", "formatted", "plain", "html")
_ADDRESS_PARTS = (
    ("city", "town", "addressLocality"),
    ("state", "region", "addressRegion"),
    ("country", "addressCountry"),
)
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2})?")
_MOST_VALUES = 50
_LONGEST_TITLE = 500
#: from 2001 to 2100, in seconds
_FIRST_MOMENT, _LAST_MOMENT = 978_307_200, 4_102_444_800

#: objects in which an item keeps facts about itself, and its variants for sale
_PARTS = ("categories", "details", "metadata", "meta", "attributes", "properties")
_OFFERS = ("variants", "offers", "skus")
_OF_OFFERS = frozenset({"price", "currency", "availability", "sku"})
_OF_PARTS = frozenset(
    {"organisation", "location", "country", "deadline", "salary", "career_type", "work_modality", "level"}
)
#: how a pay range names its ends, its currency and its period
_LEAST_PAID, _MOST_PAID = ("min", "minimum", "minValue", "from", "low"), ("max", "maximum", "maxValue", "to", "high")
_PAID_IN, _PAID_EACH = ("currency", "currencyCode"), ("interval", "period", "unit", "unitText", "frequency")
_PERIOD = re.compile(r"hour|da(?:y|ily)|week|month|year|annual", re.IGNORECASE)

Item = Mapping[str, Any]


@lru_cache(maxsize=4096)
def meaning(key: str) -> tuple[str, int] | None:
    """The field that a key means, and its rank among the keys that do (0 is the best); None for all others."""
    return _MEANING.get(plain_key(key))


def plain_key(key: str) -> str:
    """A key in lower case, without "_", "-" and blanks."""
    return _NOT_IN_KEYS.sub("", key[:_LONGEST_KEY]).lower()


def fields_of_item(item: Item, *, language: str | None = None, resolve: Callable[[str], str | None]) -> dict[str, Any]:
    """The fields of an object but its own address; `language` is preferred, `resolve` makes addresses absolute."""
    by_field = _given(item)
    for inner, wanted in _inside(item):
        for field, given in _given(inner).items():
            if field in wanted:
                by_field.setdefault(field, given)
    fields: dict[str, Any] = {}
    for field, given in by_field.items():
        values = (_value(field, value, language) for _, value in sorted(given, key=lambda pair: pair[0]))
        if (first := next((value for value in values if value), None)) is not None:
            fields[field] = first
    _add_currency(fields, by_field.get("price", []))
    for field in ("apply_url", "image"):
        if field in fields:
            fields[field] = resolve(fields[field])
    return {field: value for field, value in fields.items() if value}


def _given(item: Item) -> dict[str, list[tuple[int, Any]]]:
    """Field -> the values that an object has for it, each with the rank of its key."""
    by_field: dict[str, list[tuple[int, Any]]] = {}
    for key, value in list(item.items())[:_MOST_KEYS]:
        if value is not None and value != "" and (found := meaning(key)):
            by_field.setdefault(found[0], []).append((found[1], value))
    return by_field


def _inside(item: Item) -> Iterator[tuple[Item, frozenset[str]]]:
    """The objects inside an item that describe it, and for which fields: of its variants the first."""
    for name in _PARTS:
        if isinstance(inner := item.get(name), dict):
            yield inner, _OF_PARTS
    for name in _OFFERS:
        offers = item.get(name)
        first = offers[0] if isinstance(offers, list) and offers else offers
        if isinstance(first, dict):
            yield first, _OF_OFFERS


def title_of(item: Item, *, language: str | None = None) -> str | None:
    """The title of an object; None when nothing in it could be one."""
    found = ((place, value) for key, value in item.items() if (place := meaning(key)) and place[0] == "title")
    ranked = sorted(list(found)[:_MOST_VALUES], key=lambda pair: pair[0][1])
    return next((text for _, value in ranked if (text := _value("title", value, language))), None)


def words_of(value: Any, language: str | None = None) -> str | None:
    """The text of a value: a text itself, the name of an object, the right one of several languages."""
    text = text_of(value)
    if text is not None:
        return plain(text) or None
    if not isinstance(value, dict) or not value:
        return None
    inner = next((text for key in _WORDS if (text := text_of(value.get(key)))), None)
    if inner is None and all(isinstance(key, str) and _LANGUAGE.fullmatch(key) for key in list(value)[:_MOST_VALUES]):
        preferred = (value.get(language or ""), value.get((language or "")[:2]), value.get("en"), *value.values())
        inner = next((text for part in preferred if (text := text_of(part))), None)
    return (plain(inner) or None) if inner else None


def _value(field: str, value: Any, language: str | None) -> Any:
    match field:
        case "title":
            title = words_of(value, language) if not isinstance(value, (int, float)) else None
            return title if title and len(title) <= _LONGEST_TITLE else None
        case "published_at" | "updated_at" | "deadline":
            return _moment(value)
        case "location":
            return "; ".join(dict.fromkeys(_each(value, _place, language)))
        case "tags" | "career_type":
            return list(dict.fromkeys(_each(value, words_of, language)))
        case "author" | "section" | "organisation":
            return ", ".join(dict.fromkeys(_each(value, words_of, language)))
        case "image" | "apply_url":
            return _address(value)
        case "price":
            return words_of(value.get("amount", value), language) if isinstance(value, dict) else words_of(value)
        case "salary":
            return _pay(value) if isinstance(value, dict) else words_of(value, language)
        case "availability" if isinstance(value, bool):
            return "InStock" if value else "OutOfStock"
        case _:
            return words_of(value, language)


def _pay(value: Item) -> str | None:
    """A pay range as text."""

    def said(names: Sequence[str]) -> str:
        return next((text for name in names if (text := words_of(value.get(name)))), "")

    ends = [end for end in (said(_LEAST_PAID), said(_MOST_PAID)) if end]
    if not ends:
        return words_of(value)
    each = _PERIOD.search(said(_PAID_EACH))
    amounts = f"{said(_PAID_IN)} {' - '.join(dict.fromkeys(ends))}".strip()
    return f"{amounts} per {each[0].lower()}" if each else amounts


def _each(value: Any, read: Callable[[Any, str | None], str | None], language: str | None) -> list[str]:
    values = value[:_MOST_VALUES] if isinstance(value, list) else [value]
    return [text for item in values if (text := read(item, language))]


def _place(value: Any, language: str | None) -> str | None:
    if not isinstance(value, dict):
        return words_of(value, language)
    parts = (next((text for key in keys if (text := words_of(value.get(key)))), None) for keys in _ADDRESS_PARTS)
    return words_of(value, language) or ", ".join(dict.fromkeys(part for part in parts if part))


def _moment(value: Any) -> str | None:
    """A date as it is written; seconds or milliseconds since 1970 as an ISO date."""
    if isinstance(value, dict):
        value = next((value[key] for key in ("date", "iso", "$date", "value", "datetime") if value.get(key)), None)
    text = text_of(value)
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{10}(?:[0-9]{3})?(?:\.[0-9]{1,9})?", text):
        # Any other number, such as a duration, is not a date.
        return plain(text) if not text.replace(".", "").isdigit() or len(text) in (4, 8) else None
    seconds = float(text) / (1000 if len(text.partition(".")[0]) == 13 else 1)
    if not _FIRST_MOMENT <= seconds <= _LAST_MOMENT:
        return None
    return datetime.fromtimestamp(int(seconds), UTC).isoformat()


def _address(value: Any) -> str | None:
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = next((value[key] for key in ("url", "src", "href") if isinstance(value.get(key), str)), None)
    return value if isinstance(value, str) else None


def _add_currency(fields: dict[str, Any], prices: list[tuple[int, Any]]) -> None:
    """Adds the currency, which is often in the same object as the amount."""
    if "price" in fields and "currency" not in fields:
        inner = (price for _, price in prices if isinstance(price, dict))
        codes = (words_of(price.get(key)) for price in inner for key in ("currency", "currencyCode", "priceCurrency"))
        if code := next((code for code in codes if code), None):
            fields["currency"] = code
