"""`lamplighter events`: what happened to sources, and what became of the news."""

import orjson
import redis as library

from lamplighter.adapters.messaging.redis_streams import DEAD_LETTERS, STREAM
from tests.cli.conftest import Lamplighter
from tests.origin import ThreadedOrigin


def test_events_are_listed_with_what_became_of_them(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("sources", "add", site.url + "/jobs")

    answer, as_json = lamplighter("events", "list"), lamplighter("events", "list", "--json")

    assert (answer.code, "SOURCE_CREATED" in answer.out, "pending" in answer.out) == (0, True, True)
    assert [event["type"] for event in as_json.json] == ["SOURCE_CREATED"]


def test_dead_letters_are_listed_with_their_reasons_and_put_back(lamplighter: Lamplighter, redis_url: str) -> None:
    redis = {"LAMPLIGHTER_EVENTS_URL": redis_url}
    with library.Redis.from_url(redis_url) as outside:
        outside.xadd(
            DEAD_LETTERS, {"event": '{"event_id": "no"}', "reason": "it is no UUID", "tries": 1, "first_id": "1-0"}
        )

        shown = lamplighter("events", "dead-letters", **redis)
        (letter,) = lamplighter("events", "dead-letters", "--json", **redis).json
        retried = lamplighter("events", "retry", letter["id"], **redis)
        outside.xadd(DEAD_LETTERS, {"event": "{}", "reason": "it is empty", "tries": 1, "first_id": "2-0"})
        (other,) = lamplighter("events", "dead-letters", "--json", **redis).json
        discarded = lamplighter("events", "discard", other["id"], **redis)
        left = lamplighter("events", "dead-letters", "--json", **redis).json
        unknown = lamplighter("events", "retry", letter["id"], **redis)

        ((_, fields),) = outside.xrange(STREAM)
        assert orjson.loads(fields[b"event"]) == {"event_id": "no"}
    assert "it is no UUID" in shown.out
    assert (retried.code, discarded.code, left) == (0, 0, [])
    assert (unknown.code, unknown.err) == (1, f"Error: there is no dead letter {letter['id']}\n")


def test_while_redis_is_away_its_dead_letters_cannot_be_listed_and_the_password_is_not_shown(
    lamplighter: Lamplighter,
) -> None:
    answer = lamplighter("events", "dead-letters", LAMPLIGHTER_EVENTS_URL="redis://me:secret@127.0.0.1:1/0")

    assert answer.code == 1
    assert "redis://***@127.0.0.1:1/0 does not answer" in answer.err
    assert "secret" not in answer.err + answer.out
