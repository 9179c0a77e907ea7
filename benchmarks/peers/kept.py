"""What a user of a crawling library writes to keep and to read pages: an SQLite table, extruct and trafilatura.

As well as someone who knows them does: one parse for all, one transaction for a hundred pages, requests with
validators, and a page that is the same byte for byte is not read again.
"""

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import trafilatura
from extruct import JsonLdExtractor, MicrodataExtractor, OpenGraphExtractor  # type: ignore[import-not-found]
from lxml import html

_PAGES_PER_COMMIT: Final = 100
_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS pages (url TEXT PRIMARY KEY, etag TEXT, modified TEXT, hash TEXT, body BLOB, "
    "title TEXT, text TEXT, data TEXT, links TEXT)"
)
_EXTRACTORS: Final = {
    "json-ld": JsonLdExtractor(),
    "microdata": MicrodataExtractor(),
    "opengraph": OpenGraphExtractor(),
}


class KnownPage(NamedTuple):
    """What the last visit left of a page."""

    etag: str | None
    modified: str | None
    hash: str
    links: list[str]

    def validators(self) -> dict[str, str]:
        """The headers with which to ask whether it has changed."""
        named = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in named.items() if value}


class KeptPages:
    """The pages in an SQLite file."""

    def __init__(self, folder: Path) -> None:
        self._db = sqlite3.connect(folder / "pages.db")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute(_TABLE)
        self._waiting: list[tuple[Any, ...]] = []
        rows = self._db.execute("SELECT url, etag, modified, hash, links FROM pages")
        self.known = {url: KnownPage(*rest, json.loads(links)) for url, *rest, links in rows}

    def headers(self, url: str) -> dict[str, str]:
        """Those of a request for this page."""
        return self.known[url].validators() if url in self.known else {}

    def links_of(self, url: str) -> list[str]:
        """The links of a page that has not changed."""
        return self.known[url].links

    def read(self, url: str, body: bytes, headers: Mapping[str, str | None]) -> list[str]:
        """Reads and keeps a page unless it is the same as before; returns its links."""
        digest = hashlib.sha256(body).hexdigest()
        if url in self.known and self.known[url].hash == digest:
            return self.links_of(url)
        page = _read(body, url)
        row = (url, headers.get("etag"), headers.get("last-modified"), digest, zlib.compress(body))
        self._waiting.append((*row, page["title"], page["text"], json.dumps(page["data"]), json.dumps(page["links"])))
        if len(self._waiting) >= _PAGES_PER_COMMIT:
            self._commit()
        return list(page["links"])

    def close(self) -> None:
        """Keeps what is left."""
        self._commit()
        self._db.close()

    def _commit(self) -> None:
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", self._waiting)
        self._waiting.clear()


def _read(body: bytes, url: str) -> dict[str, Any]:
    tree = html.document_fromstring(body)
    return {
        "title": tree.findtext(".//title"),
        "links": list(tree.xpath("//a/@href")),
        "data": {name: _found(extractor, tree, url) for name, extractor in _EXTRACTORS.items()},
        "text": trafilatura.extract(tree, url=url),
    }


def _found(extractor: Any, tree: Any, url: str) -> list[Any]:
    try:
        return list(extractor.extract_items(tree, base_url=url))
    except (ValueError, TypeError, KeyError, AttributeError):  # broken data of a page, as extruct itself lets pass
        return []
