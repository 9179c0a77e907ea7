"""Answers to bad input."""

from typing import Any

import pytest

from tests.web.asgi_client import Ask


@pytest.mark.parametrize(
    ("path", "body", "field", "words"),
    [
        ("/api/v1/sources", {"name": "a", "url": "https://a.example/", "colour": 1}, "colour", "is not known here"),
        ("/api/v1/sources", {"name": "a"}, "url", "is missing"),
        ("/api/v1/sources", {"name": "a", "url": {"a": 1}}, "url", "must be text"),
        ("/api/v1/sources", {"name": "a", "url": "https://a.example/", "priority": "huge"}, "priority", "or a whole"),
        (
            "/admin/sources",
            {"careers_url": "https://a.example/", "time_window": "nonsense"},
            "time_window",
            "22:00-05:",
        ),
        ("/admin/sources", {"careers_url": "https://a.example/", "org_type": "martian"}, "org_type", "must be 'un'"),
        ("/api/admin/domains", {"base_url": "https://a.example/", "colour": [1]}, "colour", "is not known here"),
    ],
)
async def test_bad_input_is_answered_in_our_words_with_the_field_as_it_was_written(
    ask: Ask, path: str, body: dict[str, Any], field: str, words: str
) -> None:
    reply = await ask.post(path, body)

    errors = reply.json.get("errors") or reply.json["error"]["details"]["errors"]
    (fault,) = [each for each in errors if each["field"] == field]
    assert words in fault["message"]
    assert not any(
        word in reply.text for word in ("Extra inputs", "Input should", '"dict"', '"list"', "Field required")
    )
