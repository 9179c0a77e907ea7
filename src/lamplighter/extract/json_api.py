"""Which records does a JSON answer hold when nobody wrote a recipe for it?

Only answers that are plain about it are read: one list of objects, each with a title and an address.
"""

from collections.abc import Mapping
from typing import Any

from lamplighter.extract.by_recipe import MAX_ITEMS
from lamplighter.extract.json_path import at, text_of, texts_at
from lamplighter.extract.markup import plain
from lamplighter.model.record import Found, Method, RawRecord, RecordKind
from lamplighter.rules.urls import join

CONFIDENCE = 0.70

_LISTS = ("items", "results", "data", "jobs", "entries", "posts", "articles", "products", "records", "hits", "list",
          "positions", "vacancies", "postings", "offers")  # fmt: skip
#: our field -> where APIs put it, best first
_PATHS: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "name", "headline", "position", "text", "title.rendered"),
    "url": ("url", "link", "href", "permalink", "absolute_url", "hostedUrl", "html_url", "web_url"),
    "guid": ("guid", "uuid", "id"),
    "organisation": ("organisation", "organization", "company", "company.name", "company_name", "employer"),
    "location": ("location", "location.name", "city", "categories.location"),
    "country": ("country", "country_code", "country_iso"),
    "deadline": ("deadline", "closing_date", "closes_at", "expires_at", "valid_through", "validThrough"),
    "published_at": ("published_at", "date_published", "published", "publication_date", "date", "created_at"),
    "updated_at": ("updated_at", "date_modified", "modified", "updated"),
    "description": ("description", "summary", "excerpt", "excerpt.rendered", "content", "body"),
    "author": ("author", "author.name"),
    "price": ("price",),
    "currency": ("currency",),
    "sku": ("sku",),
    "brand": ("brand", "brand.name"),
    "apply_url": ("apply_url", "applyUrl"),
    "salary": ("salary",),
}
_NEXT = ("next", "next_page", "next_page_url", "next_url", "links.next", "_links.next.href", "meta.next", "paging.next",
         "pagination.next", "pagination.next_url")  # fmt: skip


def json_records(data: Any, *, kind: RecordKind, base: str) -> list[RawRecord]:
    """The records of the answer's one list; none when it is not plain which list that is, or what its items are."""
    items = _listed(data) or _listed(data.get("data") if isinstance(data, dict) else None)
    records = (_record(item, kind, base) for item in items[:MAX_ITEMS])
    return [record for record in records if record is not None]


def json_next(data: Any, path: str | None, base: str) -> str | None:
    """The next page that the answer names, at the recipe's path or where APIs usually say it."""
    given = (at(data, where) for where in ((path,) if path is not None else _NEXT))
    urls = (join(base, value) for value in given if isinstance(value, str) and ("/" in value or "?" in value))
    return next((url for url in urls if url is not None and url != base), None)


def _listed(data: Any) -> list[dict[str, Any]]:
    if isinstance(data, dict):
        candidates = [data[name] for name in _LISTS if isinstance(data.get(name), list)]
        data = candidates[0] if len(candidates) == 1 else []
    return [item for item in data if isinstance(item, dict)] if isinstance(data, list) else []


def _record(item: dict[str, Any], kind: RecordKind, base: str) -> RawRecord | None:
    values: dict[str, Any] = {name: _first(item, paths) for name, paths in _PATHS.items()}
    values["tags"] = [plain(tag) for tag in texts_at(item, "tags")]
    for name in ("url", "apply_url"):
        values[name] = join(base, values[name]) if values[name] else None
    if not (values["title"] and values["url"]):
        return None
    found = {name: Found(value, Method.FEED, CONFIDENCE) for name, value in values.items() if value}
    return RawRecord(kind=kind, fields=found)


def _first(item: dict[str, Any], paths: tuple[str, ...]) -> str | None:
    texts = (text_of(at(item, path)) for path in paths)
    return next((value for text in texts if text and (value := plain(text))), None)
