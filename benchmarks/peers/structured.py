"""Fields of pages about one thing by extruct: python -m benchmarks.peers.structured FOLDER

Prints a JSON object: the name of each page -> its fields, under the names of our records.
"""

import gzip
import json
import logging
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import extruct  # type: ignore[import-not-found]

#: without RDFa, whose reader would fetch the vocabularies that a page names
_SYNTAXES: Final = ["json-ld", "microdata", "opengraph"]
#: the types of schema.org that the pages are about, and how each is named
_TYPES: Final = ("JobPosting", "Recipe", "Product", "Book")


def main() -> int:
    """Reads every page of the folder."""
    logging.disable(logging.CRITICAL)
    sys.addaudithook(_stay_offline)
    found = {}
    for path in sorted(Path(sys.argv[1]).glob("*.html.gz")):
        name = path.name.removesuffix(".html.gz")
        url = json.loads(path.with_name(f"{name}.json").read_text())["url"]
        found[name] = _fields(_items(gzip.decompress(path.read_bytes()).decode("utf-8", "replace"), url))
    print(json.dumps(found))
    return 0


def _stay_offline(event: str, _: object) -> None:
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise OSError("a benchmark of reading sends no requests")


def _items(html: str, url: str) -> list[Mapping[str, Any]]:
    data = extruct.extract(html, base_url=url, syntaxes=_SYNTAXES, uniform=True, errors="ignore")
    items = [item for syntax in _SYNTAXES for top in data.get(syntax, []) for item in _inside(top)]
    named = {item["@id"]: item for item in items if isinstance(item.get("@id"), str) and len(item) > 1}
    return [{name: _resolved(value, named) for name, value in item.items()} for item in items]


def _resolved(value: Any, named: Mapping[str, Mapping[str, Any]]) -> Any:
    """What a reference to another item of the page stands for."""
    if isinstance(value, list):
        return [_resolved(part, named) for part in value]
    if isinstance(value, dict) and set(value) <= {"@id", "@type", "name"} and "name" not in value:
        return named.get(str(value.get("@id")), value)
    return value


def _inside(value: Any) -> Iterator[Mapping[str, Any]]:
    """The item, and those in its graph."""
    if isinstance(value, dict):
        yield value
        for part in value.get("@graph", []) if isinstance(value.get("@graph"), list) else []:
            yield from _inside(part)
    elif isinstance(value, list):
        for part in value:
            yield from _inside(part)


def _fields(items: list[Mapping[str, Any]]) -> dict[str, str]:
    """The first item of a type that pages are about; without one, what OpenGraph calls the page."""
    item = next((item for wanted in _TYPES for item in items if wanted in str(item.get("@type"))), None)
    if item is None:
        named = next((item for item in items if item.get("og:title")), {})
        return _filled({"title": _text(named.get("og:title")), "image": _text(named.get("og:image"))})
    offer = _first(item.get("offers"))
    specification = _first(offer.get("priceSpecification"))
    place = _first(_first(item.get("jobLocation")).get("address"))
    location = ", ".join(
        text for name in ("addressLocality", "addressRegion", "addressCountry") if (text := _text(place.get(name)))
    )
    return _filled(
        {
            "title": _text(item.get("name")) or _text(item.get("title")),
            "author": _text(item.get("author")),
            "image": _text(item.get("image")),
            "brand": _text(item.get("brand")),
            "price": _text(offer.get("price")) or _text(offer.get("lowPrice")) or _text(specification.get("price")),
            "organisation": _text(item.get("hiringOrganization")),
            "location": location or _text(item.get("jobLocation")),
            "published_at": _text(item.get("datePosted")) or _text(item.get("datePublished")),
        }
    )


def _first(value: Any) -> Mapping[str, Any]:
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    """A text, or the name or address of a thing; of several the first, of authors all."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_text, value[:5])))
    if isinstance(value, dict):
        return _text(value.get("name") or value.get("url") or value.get("@value") or value.get("@id"))
    return "" if value is None else str(value)


def _filled(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in fields.items() if text}


if __name__ == "__main__":
    sys.exit(main())
