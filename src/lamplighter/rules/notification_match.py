"""Which rules of notification want a notice, and when a notification that failed is tried again."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import timedelta

from lamplighter.model.notice import Notice, NoticeKind
from lamplighter.model.notification import Rule
from lamplighter.rules.politeness import doubled

#: the kinds for which a rule may wait until something has happened several times in a row
WITH_THRESHOLD = frozenset({NoticeKind.RUN_FAILED, NoticeKind.RUN_RECOVERED})
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(hours=1)


class RuleBook:
    """Rules by what they are about, so that a notice is not held against those of all other sources and tags."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules: defaultdict[tuple[str, int | None, str | None], list[Rule]] = defaultdict(list)
        for rule in rules:
            tag = rule.tag if rule.source_id is None else None
            self._rules[rule.kind, rule.source_id, tag].append(rule)

    def chosen(self, notice: Notice, tags: Collection[str]) -> list[Rule]:
        """The rules by which channels are told of a notice whose source has these tags."""
        about: set[tuple[int | None, str | None]] = {(None, None), (notice.source_id, None)}
        about |= {(None, tag) for tag in tags}
        return chosen((rule for each in about for rule in self._rules.get((notice.kind, *each), ())), notice, tags)


def chosen(rules: Iterable[Rule], notice: Notice, tags: Collection[str]) -> list[Rule]:
    """The rule by which each channel is told of a notice: one that tells at once goes before one that gathers."""
    wanting = [rule for rule in rules if wants(rule, notice, tags)]
    wanting.sort(key=lambda rule: (rule.digest_minutes is not None, rule.id))
    by_channel: dict[int, Rule] = {}
    for rule in wanting:
        by_channel.setdefault(rule.channel_id, rule)
    return list(by_channel.values())


def wants(rule: Rule, notice: Notice, tags: Collection[str]) -> bool:
    """Whether a rule is about a notice whose source has these tags."""
    if not rule.enabled or rule.kind != notice.kind:
        return False
    if rule.source_id is not None and rule.source_id != notice.source_id:
        return False
    if rule.tag is not None and rule.tag not in tags:
        return False
    return _is_reached(rule, notice)


def _is_reached(rule: Rule, notice: Notice) -> bool:
    """Failures are told when they have become so many, once; a recovery when what it ends had been told."""
    match notice.kind:
        case NoticeKind.RUN_FAILED:
            return int(notice.data["failures"]) == rule.threshold
        case NoticeKind.RUN_RECOVERED:
            return int(notice.data["failures"]) >= rule.threshold
    return True


def pause_after(tries: int) -> timedelta:
    """How long a notification waits after so many tries that failed: 30 s, doubling, an hour at most."""
    return doubled(FIRST_PAUSE, tries - 1, cap=LONGEST_PAUSE)
