"""`lamplighter notifications`: channels and rules are set up, tried and looked after from the command line."""

from collections.abc import Callable

import pytest
from typer.testing import CliRunner

from lamplighter.cli.main import app
from tests.cli.conftest import Lamplighter
from tests.origin import ThreadedOrigin

AddChannel = Callable[..., str]


@pytest.fixture
def add_channel(environment: dict[str, str]) -> AddChannel:
    """Adds a channel named ops whose target, and secret if there is one, are piped in."""

    def add(*lines: str) -> str:
        words = ["notifications", "add-channel", "ops", "webhook", *(["--with-secret"] if len(lines) > 1 else [])]
        result = CliRunner().invoke(app, words, input="\n".join(lines) + "\n", env=environment)
        assert result.exit_code == 0, result.output
        return result.output

    return add


def test_a_channel_is_added_tried_and_its_log_shown_without_its_target(
    lamplighter: Lamplighter, add_channel: AddChannel, site: ThreadedOrigin
) -> None:
    site.route("/hook-s3cret", status=200)

    added = add_channel(f"{site.url}/hook-s3cret", "s1gning")
    tried = lamplighter("notifications", "test", "ops")
    rule = lamplighter("notifications", "add-rule", "ops", "run.failed", "--threshold", "3", "--tag", "news")
    rules = lamplighter("notifications", "rules", "--channel", "ops")
    channels = lamplighter("notifications", "channels", "--json")
    log = lamplighter("notifications", "log", "--state", "sent")

    assert [hit.method for hit in site.hits("/hook-s3cret")] == ["POST"]
    assert tried.out.strip() == "The test of ops was sent: HTTP 200"
    assert "ops  run.failed  tag news  3 in a row" in rules.out
    assert rules.out == rule.out
    assert channels.json[0]["has_secret"] is True
    assert "1 of 1 notifications." in log.out
    for out in (added, channels.out, log.out):
        assert "s3cret" not in out
        assert "s1gning" not in out


def test_a_channel_that_does_not_work_says_why_and_what_died_is_tried_again(
    lamplighter: Lamplighter, add_channel: AddChannel, site: ThreadedOrigin
) -> None:
    site.route("/hook", status=500)
    add_channel(f"{site.url}/hook")

    tried = lamplighter("notifications", "test", "ops")
    retried = lamplighter("notifications", "retry")
    unknown = lamplighter("notifications", "test", "nobody")
    removed = lamplighter("notifications", "remove-channel", "ops")

    assert tried.code != 0
    assert "HTTP 500" in tried.err
    assert retried.out.strip() == "1 will be retried."
    assert "there is no channel 'nobody'" in unknown.err
    assert removed.out.strip() == "ops was deleted."
    assert lamplighter("notifications", "channels").out == ""


def test_a_channel_works_as_before_after_the_keys_were_changed(
    lamplighter: Lamplighter, add_channel: AddChannel, site: ThreadedOrigin
) -> None:
    site.route("/hook", status=204)
    add_channel(f"{site.url}/hook", "s1gning")

    rotated = lamplighter("secrets", "rotate")
    tried = lamplighter("notifications", "test", "ops")

    assert rotated.out.strip() == "2 re-encrypted."
    assert tried.out.strip() == "The test of ops was sent: HTTP 204"
