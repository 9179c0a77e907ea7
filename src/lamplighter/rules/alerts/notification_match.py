"""Which notification rules subscribe to a notice, and when a failed notification is retried."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta

from lamplighter.model.notification import ChannelKind, Notice, NoticeKind, NotificationRule, RecordWatch
from lamplighter.rules.alerts.record_watch import WATCHED_RUN, WATCHING
from lamplighter.rules.hosts.politeness import doubled

#: the kinds for which a rule may require several occurrences in a row
WITH_THRESHOLD = frozenset({NoticeKind.RUN_FAILED, NoticeKind.RUN_RECOVERED})
#: minutes for which a rule gathers unless it says otherwise; a program waits for each task, so tasks are not gathered
_WATCHING_DIGEST, _TROUBLE_DIGEST, _ALERT_DIGEST = 10, 5, 1
_ALERTS = frozenset({NoticeKind.ALERT_FIRED, NoticeKind.ALERT_CLEARED})
EACH_BY_ITSELF = frozenset({NoticeKind.TASK_COMPLETED, NoticeKind.TASK_FAILED})
#: tries in a minute that a new channel may make
USUAL_RATE: Mapping[ChannelKind, int] = {
    ChannelKind.WEBHOOK: 60,
    ChannelKind.EMAIL: 10,
    ChannelKind.SLACK: 10,
    ChannelKind.NTFY: 10,
}
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(hours=1)


class RuleBook:
    """Rules indexed by subject, so that a notice is not compared with those of all other sources and tags."""

    def __init__(self, rules: Iterable[NotificationRule]) -> None:
        self._rules: defaultdict[tuple[str, int | None, str | None], list[NotificationRule]] = defaultdict(list)
        for rule in rules:
            tag = rule.tag if rule.source_id is None else None
            self._rules[rule.kind, rule.source_id, tag].append(rule)

    def chosen(self, notice: Notice, tags: Collection[str]) -> list[NotificationRule]:
        """The rules by which channels are notified of a notice whose source has these tags."""
        about: set[tuple[int | None, str | None]] = {(None, None), (notice.source_id, None)}
        about |= {(None, tag) for tag in tags}
        return chosen((rule for each in about for rule in self._rules.get((notice.kind, *each), ())), notice, tags)


def chosen(rules: Iterable[NotificationRule], notice: Notice, tags: Collection[str]) -> list[NotificationRule]:
    """The rule by which each channel is notified of a notice, or of the records that the rule watches.

    One that notifies at once comes before a digest.
    """
    wanting = [rule for rule in rules if wants(rule, notice, tags)]
    wanting.sort(key=lambda rule: (rule.digest_minutes is not None, rule.id))
    by_channel: dict[tuple[int, RecordWatch], NotificationRule] = {}
    for rule in wanting:
        by_channel.setdefault((rule.channel_id, rule.watch), rule)
    return list(by_channel.values())


def wants(rule: NotificationRule, notice: Notice, tags: Collection[str]) -> bool:
    """Whether a rule subscribes to a notice whose source has these tags."""
    if not rule.enabled or rule.kind != notice.kind:
        return False
    if rule.source_id is not None and rule.source_id != notice.source_id:
        return False
    if rule.tag is not None and rule.tag not in tags:
        return False
    if notice.data.get(WATCHED_RUN, {}).get("is_baseline") and not rule.with_baseline:
        return False
    return _is_reached(rule, notice)


def _is_reached(rule: NotificationRule, notice: Notice) -> bool:
    """Failures are notified once, when there are as many as the rule says; a recovery when its failures were."""
    match notice.kind:
        case NoticeKind.RUN_FAILED:
            return int(notice.data["failures"]) == rule.threshold
        case NoticeKind.RUN_RECOVERED:
            return int(notice.data["failures"]) >= rule.threshold
    return True


def usual_digest(kind: NoticeKind) -> int | None:
    """The minutes for which a rule of this kind gathers unless it says otherwise; None: it does not gather."""
    if kind in EACH_BY_ITSELF:
        return None
    if kind in _ALERTS:
        return _ALERT_DIGEST
    return _WATCHING_DIGEST if kind in WATCHING else _TROUBLE_DIGEST


def pause_after(tries: int) -> timedelta:
    """How long a notification waits after so many failed tries: 30 s, doubling, an hour at most."""
    return doubled(FIRST_PAUSE, tries - 1, cap=LONGEST_PAUSE)
