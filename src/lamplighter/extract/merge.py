"""Which findings of different rungs are one record, and which value of each field is the best?"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lamplighter.model.record import Finding, RawRecord, RecordKind


def merge(rungs: Iterable[Sequence[RawRecord]]) -> list[RawRecord]:
    """The records of the first rung that has any; the rungs below it complete their fields but add no records."""
    rungs = [found for found in rungs if found]
    if not rungs:
        return []
    records = list(rungs[0])
    for found in rungs[1:]:
        both_single = len(records) == len(found) == 1
        if both_single and found[0] is records[0]:
            continue
        others = {} if both_single else _by_key(found, beside=records)
        for place, record in enumerate(records):
            other = found[0] if both_single else _partner(record, others)
            if other is not None and _compatible(record.kind, other.kind):
                records[place] = _united(record, other)
    return records


def further(records: Sequence[RawRecord], named: Iterable[RawRecord]) -> list[RawRecord]:
    """The records of `named` that are not known yet and could be: of the same kind, with title and address.

    A record without an address of its own may be a known one under another name, so it is left out.
    """
    known = {key for record in records for key in _keys(record)}
    kinds = {record.kind for record in records}
    found = []
    for other in named:
        keys = _keys(other)
        if len(keys) == len(_NAMED_BY) and known.isdisjoint(keys) and any(_compatible(other.kind, k) for k in kinds):
            found.append(other)
            known.update(keys)
    return found


def shared(records: Sequence[RawRecord], others: Sequence[RawRecord]) -> int:
    """How many of the records are among the others, too?"""
    by_key = _by_key(others, beside=records)
    return sum(_partner(record, by_key) is not None for record in records)


#: how a record is recognised on its page
_NAMED_BY = ("url", "title")
_Key = tuple[str, str]


def _by_key(records: Sequence[RawRecord], *, beside: Sequence[RawRecord]) -> Mapping[_Key, RawRecord]:
    """The first record of each address and each title; a title that occurs twice on either side is ambiguous."""
    found = {key: record for record in reversed(records) for key in _keys(record)}
    for side in (records, beside):
        times = Counter(key for record in side for key in _keys(record) if key[0] == "title")
        for key, count in times.items():
            if count > 1:
                found.pop(key, None)
    return found


def _partner(record: RawRecord, others: Mapping[_Key, RawRecord]) -> RawRecord | None:
    return next((others[key] for key in _keys(record) if key in others), None)


def _keys(record: RawRecord) -> list[_Key]:
    """Its address before its title, as far as it has them."""
    named = ((name, record.fields.get(name)) for name in _NAMED_BY)
    return [(name, _folded(name, str(found.value))) for name, found in named if found is not None]


def _folded(name: str, value: str) -> str:
    return " ".join(value.split()).casefold() if name == "title" else value


def _compatible(a: RecordKind, b: RecordKind) -> bool:
    return a is b or RecordKind.OTHER in (a, b)


def _united(record: RawRecord, other: RawRecord) -> RawRecord:
    fields: dict[str, Finding] = dict(record.fields)
    for name, found in other.fields.items():
        if name not in fields or found.confidence > fields[name].confidence:
            fields[name] = found
    kind = other.kind if record.kind is RecordKind.OTHER else record.kind
    return replace(record, kind=kind, fields=fields)
