"""Which unlabelled texts of the rows are places?

All rows are considered together, as for titles: places are at the same position of every row. They are recognised by
their form, the name of a country, or because the page offers the same values as a filter.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from lamplighter.extract.listing.rows import is_action, segments
from lamplighter.extract.listing.titles import ReadRow, Slot
from lamplighter.extract.listing.tree import Box
from lamplighter.extract.words.field_words import LONGEST_LABEL, bare, field_for, is_field_name
from lamplighter.extract.words.place_looks import looks_like_place
from lamplighter.extract.words.value_types import MODALITY, ValueType, value_type

_LONGEST_PLACE = 60
_FEWEST = 3
#: shares of rows: those that have a text in the slot, and of its texts those that are places
_COVERED, _PLACES = 0.6, 0.6
_MOST_FILTERS, _MOST_VALUES, _LARGEST_FILTER = 10, 200, 6_000
_MOST_BOXES = 20_000
_PLACE_FIELDS = frozenset({"location", "country"})
_COUNT = re.compile(r"\s*[(\[]?\d{1,5}[)\]]?$")
_NEVER = frozenset(ValueType) - {ValueType.MODALITY}


def places_of(reads: Sequence[ReadRow], boxes: Sequence[Box], language: str | None) -> Mapping[int, str]:
    """Row number -> its place."""
    if len(reads) < _FEWEST:
        return {}
    slots: dict[Slot, dict[int, str]] = defaultdict(dict)
    for number, read in enumerate(reads):
        for slot, at in read.slots.items():
            text = read.texts[at].text
            if at not in read.known and at not in read.used and _may_be_place(text):
                slots[slot][number] = text
    wide = [found for found in slots.values() if len(found) >= _COVERED * len(reads)]
    if not wide:
        return {}
    offered = _offered(boxes)
    shares = [_share([*found.values()], offered, language) for found in wide]
    best = max(range(len(wide)), key=shares.__getitem__)
    return wide[best] if shares[best] >= _PLACES else {}


def _may_be_place(text: str) -> bool:
    return 1 < len(text) <= _LONGEST_PLACE and not is_action(text) and value_type(text) not in _NEVER


def _share(texts: Sequence[str], offered: frozenset[str], language: str | None) -> float:
    """The share of the texts that are places; "Remote" counts neither way."""
    asked = [text for text in texts if text.lower() not in MODALITY]
    if not asked:
        return 0.0
    return sum(1 for text in asked if bare(text) in offered or looks_like_place(text, language)) / len(asked)


def _offered(boxes: Sequence[Box]) -> frozenset[str]:
    """The places that the page offers as filters."""
    return frozenset(value for box in islice(_filters(boxes), _MOST_FILTERS) for value in _values(box))


def _filters(boxes: Sequence[Box]) -> Iterator[Box]:
    """The elements that contain a heading about places, and a selection below it."""
    for box in islice(boxes, _MOST_BOXES):
        if (label := box.attribute("label")) and _names_place(label):
            yield box
        parts = box.parts
        if len(parts) != 1 or not isinstance(parts[0], str) or box.size > LONGEST_LABEL or box.parent is None:
            continue
        if _names_place(parts[0]):
            holder = box.parent if len(box.parent.kids) > 1 else box.parent.parent
            if holder is not None and holder.size <= _LARGEST_FILTER:
                yield holder


@lru_cache(maxsize=4096)
def _names_place(label: str) -> bool:
    return is_field_name(label) and field_for(label) in _PLACE_FIELDS


def _values(box: Box) -> Iterator[str]:
    for part in islice(segments([box]), _MOST_VALUES):
        if value := bare(_COUNT.sub("", part.text)):
            yield value
