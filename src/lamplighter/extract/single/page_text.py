"""Extracts the running text of a page, whether or not it is an article."""

from lamplighter.extract.bounds import excess
from lamplighter.extract.charset import decode
from lamplighter.extract.html_page import parse_page
from lamplighter.extract.single.article import read_as_article
from lamplighter.extract.sniff import BodyType, sniff
from lamplighter.model.record import RawRecord, RecordKind


def as_article(body: bytes, *, url: str, content_type: str | None) -> RawRecord | None:
    """The page read as if it were an article; None where there is no running text. `url` is its normalised address."""
    if sniff(body, content_type) is not BodyType.HTML or excess(html := decode(body, content_type)):
        return None
    fields = read_as_article(parse_page(html, url), html)
    return RawRecord(kind=RecordKind.ARTICLE, fields=fields) if "text" in fields else None
