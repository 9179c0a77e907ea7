"""Names and mapping of a source's indexes in Elasticsearch or OpenSearch.

Readers find the records of a source under the alias `{prefix}_{source}_{id}_raw_content`, with the fields of that
convention. The mapping is given when an index is created and is complete: other fields are stored and shown, but
never mapped. Otherwise the first document that has a publisher as an object would decide that no later one may have it
as a text.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import uuid4

from lamplighter.adapters.search import search_attributes
from lamplighter.adapters.search.search_attributes import CLAIMS, FRACTIONS, NUMBERS, WORDS
from lamplighter.model.search_index import Document
from lamplighter.rules.records.search_query import fold, words_of

#: version of the mapping; an index with another version has to be rebuilt
VERSION = 1
#: the searched fields, and the weight of a match; the same as in the databases
SEARCHED: Mapping[str, float] = {"title": 10.0, "organisation": 4.0, "location_raw": 2.0, "description": 1.0}
#: a keyword may have 32766 bytes, and a character four of them
_LONGEST_KEYWORD = 8191
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 100

_KEYWORD = {"type": "keyword", "ignore_above": _LONGEST_KEYWORD}
_DATE = {"type": "date", "format": "strict_date_optional_time||epoch_millis"}
_TEXT = {"type": "text", "analyzer": "standard"}
_UNREAD = {"type": "object", "enabled": False}

BODY: Mapping[str, Any] = {
    "settings": {"number_of_shards": 1, "auto_expand_replicas": "0-1"},
    "mappings": {
        "_meta": {"lamplighter": VERSION},
        "dynamic": False,
        # Our own tokens of the texts, which are not returned with the results.
        "_source": {"excludes": ["words"]},
        "properties": {
            "id": _KEYWORD,
            "url": _KEYWORD,
            "canonical_url": _KEYWORD,
            "source_name": _KEYWORD,
            "title": _TEXT,
            "raw_text": _TEXT,
            "author": {"type": "text"},
            "crawled_at": _DATE,
            "published_date": _DATE,
            "word_count": {"type": "long"},
            "meta_keywords": _KEYWORD,
            "fields": _UNREAD,
            "json_ld_data": _UNREAD,
            # Already tokenised as in the databases, so that a search means the same here.
            "words": {"properties": {name: {"type": "text", "analyzer": "whitespace"} for name in SEARCHED}},
            **dict.fromkeys(WORDS, _KEYWORD),
            **{name: {"type": "long"} for name in NUMBERS},
            **{name: {"type": "double"} for name in FRACTIONS},
            **{name: {"type": "boolean"} for name in CLAIMS},
        },
    },
}


class IndexNames(NamedTuple):
    """The names of our indexes. No prefix contains a dot, so the dot ends it."""

    prefix: str

    @property
    def everything(self) -> str:
        """The alias of all records."""
        return f"{self.prefix}.records"

    @property
    def all_indexes(self) -> str:
        """A pattern that matches all our indexes and no alias: their second part is a number."""
        return f"{self.prefix}.*.*"

    def of_source(self, source_id: int) -> str:
        """A pattern that matches a source's indexes."""
        return f"{self.prefix}.{source_id}.*"

    def new_index(self, source_id: int) -> str:
        """The name of a new index of a source."""
        return f"{self.prefix}.{source_id}.{uuid4().hex[:8]}"

    def alias(self, source_id: int, name: str) -> str:
        """The alias of a source's records for readers; its id distinguishes sources of one name."""
        said = _NOT_IN_A_NAME.sub("_", fold(name)).strip("_")[:_LONGEST_NAME].strip("_") or "source"
        return f"{self.prefix}_{said}_{source_id}_raw_content"


def row(document: Document) -> dict[str, Any]:
    """A record as it is stored there."""
    said = document.fields
    return search_attributes.of(document) | {
        "id": document.public_id,
        "url": document.url,
        "canonical_url": document.url,
        "source_name": document.source_name,
        "title": document.title,
        "raw_text": document.description,
        "location_raw": document.location_raw,
        "author": _if_a(str, said.get("author")),
        "crawled_at": document.last_seen_at.isoformat(timespec="milliseconds"),
        "published_date": document.published_at.isoformat(timespec="milliseconds") if document.published_at else None,
        "word_count": _if_a(int, said.get("word_count")),
        "meta_keywords": list(document.tags),
        "fields": dict(said),
        "words": {name: _words(getattr(document, name)) for name in SEARCHED},
    }


def _if_a(kind: type, value: Any) -> Any:
    """The value, unless it is of another type: a page may contain anything."""
    return value if isinstance(value, kind) and not isinstance(value, bool) else None


def _words(text: str | None) -> str | None:
    return " ".join(map(fold, words_of(text))) if text else None
