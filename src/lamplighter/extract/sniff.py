"""Detects the type of a body. Content-Type is a hint that is often wrong, so the first bytes decide."""

import re
from enum import StrEnum

from lamplighter.extract.charset import BOMS, UTF16, declared_charset, utf16_of_xml, without_comments
from lamplighter.extract.sitemaps import gunzip


class BodyType(StrEnum):
    """The type of a body, as far as extraction is concerned."""

    HTML = "html"
    FEED = "feed"  # RSS, Atom, RDF, CDF
    SITEMAP = "sitemap"  # XML or a list of addresses, gzipped or not
    XML = "xml"  # any other XML: a catalogue, an image
    JSON = "json"
    TEXT = "text"
    BINARY = "binary"


#: bytes that are examined
HEAD = 2048

_MAGIC = (
    b"%PDF-", b"PK\x03\x04", b"PK\x05\x06", b"BZh", b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a",
    b"\x28\xb5\x2f\xfd", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"RIFF", b"II*\x00", b"MM\x00*",
    b"\x00\x00\x01\x00", b"OggS", b"ID3", b"fLaC", b"\x1a\x45\xdf\xa3", b"\x7fELF", b"MZ\x90", b"\xca\xfe\xba\xbe",
    b"wOFF", b"wOF2", b"OTTO", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"SQLite format 3\x00", b"{\\rtf", b"%!PS-Adobe",
)  # fmt: skip

#: control characters that no text contains (the table of the WHATWG MIME sniffing standard)
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_FIRST_TAG = re.compile(rb"<([A-Za-z][\w:.-]*)")
_FEED_TAG = re.compile(rb"<(?:[\w.-]{1,30}:)?(?:rss|feed|RDF)[\s>]", re.IGNORECASE)
_SITEMAP_ROOT = re.compile(rb"(?:\w+:)?(?:urlset|sitemapindex)", re.IGNORECASE)
#: lines of only addresses; the last may be cut off
_ADDRESSES = re.compile(rb"(?:\s*https?://[^\s<>\"]++(?:\r?\n|\r|\Z))++(?:ht?t?p?s?:?/?)?\s*\Z", re.IGNORECASE)
_HTML_SIGN = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_JSON_START = re.compile(rb"\s*(?:\{\s*(?:[\"}]|\Z)|\[\s*(?:[\[{\"\]\d-]|true|false|null|\Z))")
_ASSET_TYPE = re.compile(r"(?:image|audio|video|font)/|application/(?:pdf|zip|gzip|octet-stream|vnd\.|x-)")


def sniff(body_start: bytes, content_type: str | None) -> BodyType:
    """The type of a body with this start; `content_type` is the header, and only breaks ties."""
    head = body_start[:HEAD]
    media_type = (content_type or "").partition(";")[0].strip().lower()
    if head.startswith(gunzip.MAGIC):
        return BodyType.SITEMAP if _is_sitemap(gunzip.head(body_start, size=HEAD)) else BodyType.BINARY
    if head.startswith(_MAGIC) or head[4:8] == b"ftyp":
        return BodyType.BINARY
    if _is_utf16(head, content_type):
        # Every other byte of the marks we search for is a NUL; without them the marks can be found.
        head = head.lstrip(b"\xff\xfe").replace(b"\x00", b"")
    elif b"\x00" in head:
        return BodyType.BINARY
    head = head.removeprefix(BOMS["utf-8"])
    return _structure(head, media_type) or _unstructured(head, media_type)


def _is_sitemap(head: bytes) -> bool:
    root = _FIRST_TAG.search(without_comments(head))
    return (_SITEMAP_ROOT.fullmatch(root[1]) if root else _ADDRESSES.match(head)) is not None


def _is_utf16(head: bytes, content_type: str | None) -> bool:
    marked = head.startswith((BOMS["utf-16-le"], BOMS["utf-16-be"])) or utf16_of_xml(head) is not None
    return marked or declared_charset(content_type) in UTF16


def _structure(head: bytes, media_type: str) -> BodyType | None:
    """The type according to its own markup; None when there is none."""
    if _JSON_START.match(head) and not _HTML_SIGN.search(head):
        return BodyType.JSON
    markup = without_comments(head)
    if _HTML_SIGN.search(markup) and not _FEED_TAG.search(markup):
        return BodyType.HTML
    root = _FIRST_TAG.search(markup)
    if root is None:
        return None
    return _by_root(root[1].lower(), markup, media_type)


def _by_root(root: bytes, markup: bytes, media_type: str) -> BodyType:
    says_xml = markup.lstrip().startswith(b"<?xml") or media_type.endswith(("/xml", "+xml"))
    if root == b"html":
        return BodyType.HTML
    if _SITEMAP_ROOT.fullmatch(root):
        return BodyType.SITEMAP
    if root == b"channel" and says_xml:  # a CDF feed
        return BodyType.FEED
    # Servers like to print a warning above the feed: a feed further down counts, unless this is an HTML page.
    if _FEED_TAG.search(markup) and (says_xml or _FEED_TAG.match(b"<" + root + b">")):
        return BodyType.FEED
    return BodyType.XML if says_xml and "html" not in media_type else BodyType.HTML


def _unstructured(head: bytes, media_type: str) -> BodyType:
    if _NOT_TEXT.search(head) or _ASSET_TYPE.match(media_type):
        return BodyType.BINARY
    if media_type == "application/json" or media_type.endswith("+json"):
        return BodyType.JSON
    if media_type in ("text/plain", "") and _ADDRESSES.match(head):
        return BodyType.SITEMAP
    return BodyType.HTML if "html" in media_type and head.strip() else BodyType.TEXT
