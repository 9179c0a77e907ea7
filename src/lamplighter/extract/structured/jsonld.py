"""Which records does a page describe in its JSON-LD blocks?"""

from typing import Any, NamedTuple

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.structured import loose_json
from lamplighter.extract.structured.schema_items import records_of
from lamplighter.model.record import Method, RawRecord, RecordKind

_MOST_BLOCKS = 500


class Described(NamedTuple):
    """What a page's JSON-LD blocks hold."""

    #: of all blocks, in document order
    records: list[RawRecord]
    #: how many blocks are not even with good will JSON
    unreadable: int = 0


def read_jsonld(page: HtmlPage, wanted: RecordKind | None = None) -> Described:
    """The records of all blocks; one that is broken says nothing about the others."""
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
    return Described(found, unreadable)
