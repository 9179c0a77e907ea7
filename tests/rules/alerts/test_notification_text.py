"""What notifications read like, in the usual words and in those of a template."""

import json
from typing import Any

import pytest

from lamplighter.errors import BadInput
from lamplighter.model.notification import NoticeKind
from lamplighter.rules.alerts import notification_template, notification_wire
from lamplighter.rules.alerts.notification_examples import ABOUT, EXAMPLES
from lamplighter.rules.alerts.notification_text import LABELS, LONGEST_TITLE, MOST_ITEMS, Templates, added, words_of
from tests.repository import ROOT

FAILED = EXAMPLES[NoticeKind.RUN_FAILED]


def _with(**data: Any) -> dict[str, Any]:
    (item,) = FAILED["items"]
    return {"items": [item | {"data": item["data"] | data}], "more": 0}


@pytest.mark.parametrize("kind", list(NoticeKind))
def test_every_kind_has_words_of_its_own_an_example_and_a_label(kind: NoticeKind) -> None:
    words = words_of(kind, EXAMPLES[kind])

    assert words.title
    assert words.text
    assert words.complaint is None
    assert LABELS[kind]
    assert ABOUT[kind]


def test_a_failure_says_which_source_how_often_and_why() -> None:
    words = words_of("run.failed", FAILED, public_url="https://crawler.example/")

    assert words.title == "Example jobs: run failed 3 times in a row"
    assert words.text == (
        "Run 12 of Example jobs failed: timeout: timed out (https://jobs.example.org/vacancies)\n"
        "https://crawler.example/sources/11111111-1111-4111-8111-111111111111"
    )


def test_new_records_are_named_with_their_urls() -> None:
    words = words_of("records.new", EXAMPLES[NoticeKind.RECORDS_NEW])

    assert words.title == "Example jobs: 2 new records"
    assert "Field nurse\n  https://jobs.example.org/vacancies/41" in words.text


def test_a_template_has_the_words_of_its_channel() -> None:
    templates = Templates("{{source}} x{{ failures }}", "{{ reason }}|{{ product_id }}|{{ at }}")

    words = words_of("run.failed", _with(reason="down"), templates=templates)

    assert (words.title, words.text) == ("Example jobs x3", "down||2026-03-14 12:00 UTC")


def test_a_value_cannot_smuggle_a_placeholder_or_a_line_into_the_title() -> None:
    templates = Templates("{{ reason }}", None)

    words = words_of(
        "run.failed", _with(reason="a\r\nBcc: x@example.org {{ source }} " + "y" * 500), templates=templates
    )

    assert words.title.startswith("a Bcc: x@example.org {{ source }} y")
    assert len(words.title) == LONGEST_TITLE


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        pytest.param("one\n two {{ nobody }}", "line 2, column 6: there is no {{ nobody }}", id="an unknown name"),
        pytest.param("{{ source", "line 1, column 1: {{ has no matching }}", id="not closed"),
        pytest.param("source }}", "line 1, column 8: }} has no matching {{", id="not opened"),
        pytest.param("{{ source.name }}", "there is no {{ source.name }}", id="nothing is looked into"),
        pytest.param("{{ 9**9**9 }}", "there is no {{ 9**9**9 }}", id="nothing is computed"),
        pytest.param("{{ }}", "there is no {{  }}", id="no name"),
        pytest.param("x" * 4001, "4000 are the most", id="too long"),
    ],
)
def test_a_template_that_cannot_be_used_is_refused_with_the_place(template: str, complaint: str) -> None:
    with pytest.raises(BadInput) as refused:
        notification_template.check(template)

    assert complaint in str(refused.value)
    assert refused.value.code == "invalid_template"


def test_what_is_sent_is_bounded_whatever_a_template_repeats() -> None:
    templates = Templates(None, "{{ reason }}" * 300)

    words = words_of("run.failed", _with(reason="x" * 500), templates=templates)

    assert len(words.text) == notification_template.LONGEST_TEXT


def test_a_digest_keeps_so_many_items_and_counts_the_rest() -> None:
    digest = FAILED | {"is_digest": True}
    for _ in range(MOST_ITEMS + 5):
        digest = added(digest, FAILED["items"][0])

    assert (len(digest["items"]), digest["more"]) == (MOST_ITEMS, 6)


@pytest.mark.parametrize("kind", [NoticeKind.TASK_COMPLETED, NoticeKind.TASK_FAILED])
def test_webhooks_about_tasks_have_the_body_that_was_promised_and_no_more(kind: NoticeKind) -> None:
    payload = EXAMPLES[kind]

    post = notification_wire.webhook("id", kind, payload, words_of(kind, payload))

    data = payload["items"][0]["data"]
    assert json.loads(post.body) == {"event": kind, "timestamp": "2026-03-14T12:00:00Z", "data": data}
    assert list(data) == ["task_id", "url", "status", "product_id"]


def test_every_kind_and_every_placeholder_is_documented() -> None:
    told = (ROOT / "docs" / "notifications.md").read_text(encoding="utf-8")

    kinds = [kind for kind in NoticeKind if kind is not NoticeKind.TEST]
    assert [word for word in [*kinds, *notification_template.PLACEHOLDERS] if f"`{word}`" not in told] == []
