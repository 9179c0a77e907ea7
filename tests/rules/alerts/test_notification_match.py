"""Who is told of a notice: by kind, source, tag and how often in a row; and when a failed telling is tried again."""

from collections.abc import Collection
from datetime import timedelta
from typing import Any

import pytest

from lamplighter.model.notification import Notice, NoticeKind, NotificationRule
from lamplighter.rules.alerts import notification_match
from lamplighter.rules.alerts.notification_match import RuleBook, chosen, pause_after, wants
from tests.moments import NOON


def a_rule(rule_id: int = 1, **more: Any) -> NotificationRule:
    values: dict[str, Any] = {"channel_id": 1, "kind": "run.failed", "source_id": None, "tag": None, "threshold": 1}
    values |= {"public_id": str(rule_id), "digest_minutes": None, "enabled": True, "created_at": NOON}
    return NotificationRule(id=rule_id, **(values | more))


def a_notice(kind: NoticeKind = NoticeKind.RUN_FAILED, *, source_id: int | None = 7, failures: int = 1) -> Notice:
    return Notice(kind=kind, at=NOON, source_id=source_id, data={"failures": failures})


@pytest.mark.parametrize(
    ("rule", "notice", "is_wanted"),
    [
        pytest.param({}, a_notice(), True, id="of all sources"),
        pytest.param({}, a_notice(NoticeKind.BREAKER_OPENED), False, id="another kind"),
        pytest.param({"enabled": False}, a_notice(), False, id="switched off"),
        pytest.param({"source_id": 7}, a_notice(), True, id="of this source"),
        pytest.param({"source_id": 8}, a_notice(), False, id="of another source"),
        pytest.param({"source_id": 7}, a_notice(source_id=None), False, id="of the installation, not of a source"),
        pytest.param({"tag": "news"}, a_notice(), True, id="of sources with this tag"),
        pytest.param({"tag": "shops"}, a_notice(), False, id="of sources with another tag"),
        pytest.param({"threshold": 3}, a_notice(failures=2), False, id="two failures of three"),
        pytest.param({"threshold": 3}, a_notice(failures=3), True, id="the third failure"),
        pytest.param({"threshold": 3}, a_notice(failures=4), False, id="the fourth, after the third was told"),
    ],
)
def test_a_rule_wants_what_it_names(rule: dict[str, Any], notice: Notice, is_wanted: bool) -> None:
    assert wants(a_rule(**rule), notice, ["news"]) is is_wanted


@pytest.mark.parametrize(("failures", "is_told"), [(2, False), (3, True), (9, True)])
def test_a_recovery_is_told_when_what_it_ends_was(failures: int, is_told: bool) -> None:
    rule = a_rule(kind="run.recovered", threshold=3)

    assert wants(rule, a_notice(NoticeKind.RUN_RECOVERED, failures=failures), ()) is is_told


def test_each_channel_is_told_by_one_rule_and_rather_at_once_than_in_a_digest() -> None:
    rules = [a_rule(1, digest_minutes=5), a_rule(2), a_rule(3), a_rule(4, channel_id=2, digest_minutes=5)]

    assert [rule.id for rule in chosen(rules, a_notice(), ())] == [2, 4]


def test_a_book_of_rules_asks_only_those_that_may_want_a_notice_and_chooses_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    about: tuple[dict[str, Any], ...] = (
        {},
        {"source_id": 7},
        {"tag": "news"},
        {"source_id": 7, "threshold": 2},
        {"kind": "records.new"},
    )
    rules = [a_rule(number, channel_id=number, **more) for number, more in enumerate(about)]
    rules += [a_rule(100 + number, channel_id=100, source_id=100 + number) for number in range(1000)]
    rules += [a_rule(2000 + number, channel_id=100, tag=f"tag {number}") for number in range(1000)]
    asked: list[int] = []

    def noting(rule: NotificationRule, notice: Notice, tags: Collection[str]) -> bool:
        asked.append(rule.id)
        return wants(rule, notice, tags)

    monkeypatch.setattr(notification_match, "wants", noting)

    found = RuleBook(rules).chosen(a_notice(), ["news", "shops"])

    assert sorted(asked) == [0, 1, 2, 3]
    assert (
        [rule.id for rule in found] == [rule.id for rule in chosen(rules, a_notice(), ["news", "shops"])] == [0, 1, 2]
    )


def test_the_pauses_between_tries_double_up_to_an_hour() -> None:
    pauses = [pause_after(tries) // timedelta(seconds=1) for tries in (1, 2, 3, 7, 8, 20)]

    assert pauses == [30, 60, 120, 1920, 3600, 3600]
