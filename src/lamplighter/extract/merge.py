"""Which findings of different rungs are one record, and which value of each field is the best?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lamplighter.model.record import Found, RawRecord, RecordKind


def merge(rungs: Iterable[Sequence[RawRecord]]) -> list[RawRecord]:
    """The records of the first rung that has any; the rungs below it complete their fields but add no records."""
    rungs = [found for found in rungs if found]
    if not rungs:
        return []
    records = list(rungs[0])
    for found in rungs[1:]:
        both_single = len(records) == len(found) == 1
        others = {key: other for other in reversed(found) for key in _keys(other)}
        for place, record in enumerate(records):
            other = found[0] if both_single else _partner(record, others)
            if other is not None and _compatible(record.kind, other.kind):
                records[place] = _united(record, other)
    return records


def _partner(record: RawRecord, others: Mapping[tuple[str, str], RawRecord]) -> RawRecord | None:
    return next((others[key] for key in _keys(record) if key in others), None)


def _keys(record: RawRecord) -> list[tuple[str, str]]:
    """By what a record is recognised on its page: its address, else its title."""
    named = ((name, record.fields.get(name)) for name in ("url", "title"))
    return [(name, str(found.value).casefold()) for name, found in named if found is not None]


def _compatible(a: RecordKind, b: RecordKind) -> bool:
    return a is b or RecordKind.OTHER in (a, b)


def _united(record: RawRecord, other: RawRecord) -> RawRecord:
    fields: dict[str, Found] = dict(record.fields)
    for name, found in other.fields.items():
        if name not in fields or found.confidence > fields[name].confidence:
            fields[name] = found
    kind = other.kind if record.kind is RecordKind.OTHER else record.kind
    return replace(record, kind=kind, fields=fields)
