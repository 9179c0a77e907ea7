"""Where a channel leads, and how much of that is shown."""

import pytest

from lamplighter.errors import BadInput
from lamplighter.model.notification import ChannelKind
from lamplighter.rules.alerts.notification_target import parse

HOOK, MAIL, NTFY = ChannelKind.WEBHOOK, ChannelKind.EMAIL, ChannelKind.NTFY


def test_a_url_is_kept_as_it_was_given_and_shown_without_its_path() -> None:
    target = parse(HOOK, " https://Hooks.example.org/T0/s3cret?sig=a%2Fb&utm_source=c&b=1#x ")

    assert target.address == "https://hooks.example.org/T0/s3cret?sig=a%2Fb&utm_source=c&b=1"
    assert target.hint == "https://hooks.example.org"
    assert (target.hostname, target.port) == ("hooks.example.org", 443)


def test_of_an_address_only_the_domain_is_shown() -> None:
    assert parse(MAIL, "ops+crawl@mail.example.org") == ("ops+crawl@mail.example.org", "…@mail.example.org", "", 0)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (HOOK, ""),
        (HOOK, "hooks.example.org/s3cret"),
        (HOOK, "ftp://example.org/s3cret"),
        (HOOK, "https://user:s3cret@example.org/"),
        (HOOK, "https://example.org/s3cret" + "x" * 2000),
        (NTFY, "https://ntfy.example.org/"),
        (MAIL, "s3cret"),
        (MAIL, "s3cret@"),
        (MAIL, "a@example.org, s3cret@example.org"),
        (MAIL, "a@example.org\nBcc: s3cret@example.org"),
        (MAIL, "Ops <s3cret@example.org>"),
        (MAIL, "a..s3cret@example.org"),
    ],
)
def test_what_is_no_target_is_refused_without_being_repeated(kind: ChannelKind, text: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse(kind, text)

    assert refused.value.field == "target"
    assert "s3cret" not in str(refused.value)
