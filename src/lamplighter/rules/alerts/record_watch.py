"""Which records or pages of a run a notification rule watches, and what it tells of them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from lamplighter.model.notification import ALL_RECORDS, NoticeKind, RecordWatch
from lamplighter.rules.change import differences

#: the kinds about records, and those about what a run found: a source's baseline is not told by them unless asked
RECORD_KINDS = frozenset(
    {
        NoticeKind.RECORDS_NEW,
        NoticeKind.RECORDS_CHANGED,
        NoticeKind.RECORDS_GONE,
        NoticeKind.RECORDS_BACK,
        NoticeKind.PRICE_FELL,
    }
)
WATCHING = RECORD_KINDS | {NoticeKind.PAGES_CHANGED}
#: in a notice's data: the run, for rules that want only some of what it found; not told
WATCHED_RUN = "watched_run"
#: records or pages that one notice names
NAMED = 5
_PRICE = "fields.price"
_LONGEST_VALUE = 200


class RecordFieldChange(NamedTuple):
    """One field of a record, from what to what."""

    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedItem:
    """A record or a page that a run found, changed or lost."""

    source_id: int
    title: str
    url: str
    #: description or article, for the words of a rule
    text: str = ""
    changes: tuple[RecordFieldChange, ...] = ()

    def shown(self) -> dict[str, Any]:
        """As in the data of a notification."""
        said: dict[str, Any] = {"title": self.title, "url": self.url}
        if self.changes:
            said["changes"] = [
                {"field": _name(each.field), "from": _short(each.before), "to": _short(each.after)}
                for each in self.changes
            ]
        return said


def wanted(kind: NoticeKind, watch: RecordWatch, found: Iterable[WatchedItem]) -> list[WatchedItem]:
    """The items that a rule with this watch wants; of the changes only those that it is about."""
    if kind is NoticeKind.PRICE_FELL:
        found = _with_changes(found, lambda change: _has_fallen(change, watch.price_below))
    if watch.record_field is not None:
        found = _with_changes(found, lambda change: watch.record_field in (change.field, _name(change.field)))
    if watch.words is not None:
        pattern = _pattern(watch.words)
        found = [each for each in found if pattern.search(f"{each.title}\n{each.text}")]
    return list(found)


def told(found: Sequence[WatchedItem], *, count: int | None = None, watch: RecordWatch = ALL_RECORDS) -> dict[str, Any]:
    """The data of a notification about these: how many there are, and the first of them."""
    below = {"below": watch.price_below} if watch.price_below is not None else {}
    return {
        "count": len(found) if count is None else count,
        "records": [each.shown() for each in found[:NAMED]],
    } | below


def alternatives(words: str) -> list[str]:
    """The words or phrases of a rule, as they are separated by commas."""
    return [" ".join(each.split()) for each in words.split(",") if each.strip()]


def _with_changes(found: Iterable[WatchedItem], is_meant: Callable[[RecordFieldChange], bool]) -> Iterable[WatchedItem]:
    """The items with those of their changes that are meant, without items that have none."""
    narrowed = (replace(each, changes=tuple(filter(is_meant, each.changes))) for each in found)
    return [each for each in narrowed if each.changes]


def _has_fallen(change: RecordFieldChange, below: float | None) -> bool:
    """Whether a price fell below this; without it, whether it fell at all."""
    if change.field != _PRICE or not _is_number(change.after) or not _is_number(change.before):
        return False
    return bool(change.after < change.before and (below is None or change.after < below <= change.before))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@lru_cache(maxsize=256)
def _pattern(words: str) -> re.Pattern[str]:
    any_of = "|".join(re.escape(each).replace(r"\ ", r"\s+") for each in alternatives(words))
    return re.compile(rf"(?<!\w)(?:{any_of})", re.IGNORECASE)


def _name(field: str) -> str:
    """A field as people call it: kind-specific ones by their name alone."""
    return field.removeprefix("fields.")


def _short(value: Any) -> str:
    text = " ".join(differences.as_text(value).split())
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def lines_of(shown: Mapping[str, Any]) -> str:
    """A record of a notification's data as text: title, URL, and each change."""
    changes = (
        f"  {each['field']}: {each['from'] or '(empty)'} → {each['to'] or '(empty)'}"
        for each in shown.get("changes", ())
    )
    return "\n".join([shown["title"], f"  {shown['url']}", *changes])
