"""Which records does a page describe in its JSON-LD blocks?"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from lamplighter.extract import loose_json
from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.schema_org import Index, Node, fields_of, kind_of
from lamplighter.model.record import Found, Method, RawRecord
from lamplighter.rules.urls import LinkResolver

CONFIDENCE = 0.90

#: properties behind which the things a page is about may stand
_CONTAINERS = ("@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "item", "dataFeedElement", "hasPart")
_DEEPEST = 8
_MOST_NODES = 5_000


def jsonld_records(page: HtmlPage) -> list[RawRecord]:
    """The job postings, articles and products of all blocks, in document order."""
    nodes = list(islice((node for block in _blocks(page) for node in _walk(block, _DEEPEST)), _MOST_NODES))
    index = {node["@id"]: node for node in nodes if isinstance(node.get("@id"), str) and len(node) > 1}
    records = (_record(node, page.resolver, index) for node in nodes)
    return [record for record in records if record is not None]


def _blocks(page: HtmlPage) -> Iterator[Any]:
    for script in page.data_blocks:
        try:
            yield loose_json.mend(script.text())
        except ValueError:
            # One broken block says nothing about the others.
            continue


def _walk(value: Any, depth: int) -> Iterator[Node]:
    """Every item in a block that may be what the page is about."""
    if depth == 0:
        return
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, depth - 1)
    elif isinstance(value, dict):
        yield value
        if kind_of(value) is None:
            for name in _CONTAINERS:
                yield from _walk(value.get(name), depth - 1)


def _record(node: Node, resolver: LinkResolver, index: Index) -> RawRecord | None:
    kind = kind_of(node)
    if kind is None:
        return None
    fields = fields_of(node, kind, resolver=resolver, index=index)
    found = {name: Found(value, Method.JSONLD, CONFIDENCE) for name, value in fields.items()}
    return RawRecord(kind=kind, fields=found) if found else None
