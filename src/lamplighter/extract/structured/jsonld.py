"""Extracts the records in a page's JSON-LD blocks."""

from typing import Any, NamedTuple

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.structured import loose_json
from lamplighter.extract.structured.schema_items import records_of
from lamplighter.model.record import Method, RawRecord, RecordKind

_MOST_BLOCKS = 500


class JsonLdContents(NamedTuple):
    """The content of a page's JSON-LD blocks."""

    #: of all blocks, in document order
    records: list[RawRecord]
    #: blocks that could not be repaired either
    unreadable: int = 0


def read_jsonld(page: HtmlPage, wanted: RecordKind | None = None) -> JsonLdContents:
    """The records of all blocks; a broken block does not affect the others."""
    values: list[Any] = []
    unreadable = 0
    have_ids = False
    for script in page.data_blocks[:_MOST_BLOCKS]:
        text = script.text
        if not text.strip():
            continue
        try:
            values.append(loose_json.mend(text))
        except ValueError:
            unreadable += 1
        have_ids = have_ids or "@id" in text
    found = records_of(values, page=page, wanted=wanted, method=Method.JSONLD, have_ids=have_ids)
    return JsonLdContents(found, unreadable)
