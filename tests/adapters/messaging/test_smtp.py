"""E-mails through a real server on loopback: what is handed over, and every way in which it can refuse."""

from base64 import b64encode

import pytest

from lamplighter.adapters.messaging.smtp import Smtp
from lamplighter.errors import BadSetting
from lamplighter.ports import Letter
from tests.moments import NOON
from tests.servers.smtp import MailServer

LETTER = Letter(to="ops@example.org", subject="Größe: run failed", text="Zeile 1\n.\nZeile 3", id="n-1", at=NOON)


async def test_a_letter_arrives_with_what_it_says_and_the_password_opens_the_door() -> None:
    async with MailServer(login="user:pa ss/word") as server:
        told = await Smtp.at(server.url("user:pa%20ss%2Fword@")).send(LETTER)

    (taken,) = server.taken
    assert (told.is_delivered, told.status) == (True, 250)
    assert (taken.sender, taken.recipients) == ("lamplighter@example.org", ["ops@example.org"])
    assert taken.login == ("user", "pa ss/word")
    message = taken.message
    assert (message["Subject"], message["From"], message["To"]) == (
        "Größe: run failed",
        "lamplighter@example.org",
        "ops@example.org",
    )
    assert (message["Message-ID"], message["Auto-Submitted"]) == ("<n-1@example.org>", "auto-generated")
    assert message.get_content().splitlines() == ["Zeile 1", ".", "Zeile 3"]


@pytest.mark.parametrize(
    ("refusing", "status", "said"),
    [
        pytest.param(
            {"RCPT": "550 <ops@example.org>: no such user"}, 550, "<the address>: no such user", id="recipient"
        ),
        pytest.param({"MAIL": "451 try later"}, 451, "try later", id="sender"),
        pytest.param({"DATA": "554 spam"}, 554, "spam", id="content"),
        pytest.param({"EHLO": "421 too many", "HELO": "421 too many"}, 421, "too many", id="everybody"),
    ],
)
async def test_a_refusal_is_told_in_the_servers_own_words_without_the_address(
    refusing: dict[str, str], status: int, said: str
) -> None:
    async with MailServer(refusing=refusing) as server:
        told = await Smtp.at(server.url()).send(LETTER)

    assert (told.is_delivered, told.status) == (False, status)
    assert said in told.detail
    assert "ops@" not in told.detail


async def test_a_wrong_password_is_told_and_not_shown() -> None:
    async with MailServer(login="user:right") as server:
        told = await Smtp.at(server.url("user:wr0ng@")).send(LETTER)

    assert (told.is_delivered, told.status) == (False, 535)
    assert "wr0ng" not in told.detail


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(b"wr0ng pass", id="as it is"),
        pytest.param(b64encode(b"wr0ng pass"), id="as LOGIN sends it"),
        pytest.param(b64encode(b"\0user\0wr0ng pass"), id="as PLAIN sends it"),
    ],
)
async def test_a_server_that_repeats_the_password_does_not_have_it_shown(form: bytes) -> None:
    refusal = f"535 not understood: AUTH PLAIN {form.decode()} from you"
    async with MailServer(login="user:right", refusing={"AUTH": refusal}) as server:
        told = await Smtp.at(server.url("user:wr0ng%20pass@")).send(LETTER)

    assert told.detail.endswith("not understood: AUTH PLAIN *** from you")


async def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    async with MailServer(is_mute=True) as server:
        smtp = Smtp(host="127.0.0.1", port=server.port, is_tls=False, sender="a@example.org", seconds=0.2)
        told = await smtp.send(LETTER)

    assert not told.is_delivered
    assert f"127.0.0.1:{server.port}" in told.detail


@pytest.mark.parametrize(
    "url",
    [
        "smtp://user:s3cret@mail.example.org:587",
        "smtp://user:s3cret@mail.example.org:587?from=nobody",
        "smtp://user:s3cret@mail.example.org:many?from=a@example.org",
        "http://user:s3cret@mail.example.org?from=a@example.org",
        "smtp://user:s3cret@mail.example.org?from=a@example.org&tls=no",
        "smtp://?from=a@example.org",
    ],
)
def test_a_url_that_names_no_server_or_sender_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(BadSetting, match="LAMPLIGHTER_SMTP_URL") as refused:
        Smtp.at(url)

    assert "s3cret" not in str(refused.value)


def test_nobody_sees_the_password() -> None:
    smtp = Smtp.at("smtps://user:s3cret@mail.example.org?from=a@example.org")

    assert (smtp.port, smtp.is_tls, smtp.password) == (465, True, "s3cret")
    assert "s3cret" not in repr(smtp)
