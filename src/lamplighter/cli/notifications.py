"""`lamplighter notifications`: who is told of what, and what became of it."""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, TypeVar

import typer

from lamplighter.app import Messaging, open_messaging
from lamplighter.cli import loop
from lamplighter.cli.console import answer, print_json, say
from lamplighter.cli.failing import FAILED
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.errors import NotFound
from lamplighter.model.notification import Channel, Told
from lamplighter.operations import notification_channels, notification_rules, notifications
from lamplighter.operations.notification_channels import ChannelSettings
from lamplighter.operations.notification_rules import RuleSettings, RuleView
from lamplighter.operations.notifications import LogEntry
from lamplighter.settings import Settings
from lamplighter.store.database import Connection

app = typer.Typer(help="Who is told of what, and what became of it.", no_args_is_help=True, add_completion=False)
ChannelName = Annotated[str, typer.Argument(help="The channel's name.")]
OfChannel = Annotated[str | None, typer.Option("--channel", help="Only of the channel with this name.")]
T = TypeVar("T")


@app.command()
def channels(as_json: Json = False, data: Data = None) -> None:
    """List the channels."""

    async def work(db: Connection, now: datetime) -> list[Channel]:
        return await notification_channels.listed(db)

    found = in_transaction(load_settings(data), work)
    if as_json:
        return print_json([asdict(each) for each in found])
    for each in found:
        trouble = f"  {each.failure_count} failures in a row: {each.last_error}" if each.last_error else ""
        answer(f"{each.name}  {each.kind}  {each.target_hint}  {'on' if each.enabled else 'off'}{trouble}")
    return None


@app.command("add-channel")
def add_channel(
    name: ChannelName,
    kind: Annotated[str, typer.Argument(help="webhook, email, slack or ntfy.")],
    with_secret: Annotated[
        bool, typer.Option("--with-secret", help="Also read a secret: it signs webhooks or opens an ntfy topic.")
    ] = False,
    data: Data = None,
) -> None:
    """Add a channel; its target, and then its secret, are read from standard input or asked for on a terminal."""
    target = _line("Target")
    settings = ChannelSettings(name=name, kind=kind, target=target, secret=_line("Secret") if with_secret else None)

    async def work(open_: Messaging) -> Channel:
        now = open_.store.clock.now()
        return await open_.store.db.write(
            lambda db: notification_channels.add(db, settings, messenger=open_.messenger, actor=ACTOR, now=now)
        )

    added = _with_messenger(load_settings(data), work)
    answer(f"{added.name} leads to {added.target_hint}; try it with: lamplighter notifications test {name!r}")


@app.command("remove-channel")
def remove_channel(name: ChannelName, data: Data = None) -> None:
    """Forget a channel with its rules and its log."""

    async def work(db: Connection, now: datetime) -> None:
        await notification_channels.remove(db, await _id_of(db, name), actor=ACTOR, now=now)

    in_transaction(load_settings(data), work)
    answer(f"{name} is forgotten.")


@app.command()
def rules(channel: OfChannel = None, as_json: Json = False, data: Data = None) -> None:
    """List the rules, by channel."""

    async def work(db: Connection, now: datetime) -> list[RuleView]:
        return await notification_rules.listed(db, channel=await _id_of(db, channel) if channel else None)

    found = in_transaction(load_settings(data), work)
    if as_json:
        return print_json([asdict(each) for each in found])
    for each in found:
        answer(_rule_line(each))
    return None


@app.command("add-rule")
def add_rule(
    channel: ChannelName,
    kind: Annotated[str, typer.Argument(help="run.failed, run.recovered, records.new, alert.fired …")],
    source: Annotated[str | None, typer.Option(help="Only of the source with this id.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only of sources with this tag.")] = None,
    threshold: Annotated[int, typer.Option(help="Failed runs in a row.")] = 1,
    digest_minutes: Annotated[int, typer.Option(help="Gather for so long; 0 tells each by itself.")] = 0,
    data: Data = None,
) -> None:
    """Have a channel told of a kind of happening."""

    async def work(db: Connection, now: datetime) -> RuleView:
        settings = RuleSettings(
            channel=await _id_of(db, channel),
            kind=kind,
            source=source,
            tag=tag,
            threshold=threshold,
            digest_minutes=digest_minutes,
        )
        return await notification_rules.add(db, settings, actor=ACTOR, now=now)

    answer(_rule_line(in_transaction(load_settings(data), work)))


@app.command("remove-rule")
def remove_rule(rule_id: Annotated[str, typer.Argument(help="As listed.")], data: Data = None) -> None:
    """Forget a rule."""

    async def work(db: Connection, now: datetime) -> None:
        await notification_rules.remove(db, rule_id, actor=ACTOR, now=now)

    in_transaction(load_settings(data), work)
    answer(f"{rule_id} is forgotten.")


@app.command()
def log(
    channel: OfChannel = None,
    state: Annotated[str | None, typer.Option(help="gathering, pending, sent, dead or cancelled.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 50,
    as_json: Json = False,
    data: Data = None,
) -> None:
    """Show what was and is to be told, the newest first."""

    async def work(db: Connection, now: datetime) -> tuple[list[LogEntry], int]:
        channel_id = await _id_of(db, channel) if channel else None
        return await notifications.log(db, channel=channel_id, state=state, limit=limit, offset=0)

    found, total = in_transaction(load_settings(data), work)
    if as_json:
        return print_json([asdict(each) for each in found])
    for each in found:
        told = each.notification
        answer(
            f"{told.created_at:%Y-%m-%d %H:%M:%S}  {told.public_id}  {each.channel_name}  {told.kind}  {told.state}  "
            f"{each.title}  {told.detail or ''}".rstrip()
        )
    return answer(f"{len(found)} of {total} notifications.")


@app.command("test")
def send_test(name: ChannelName, data: Data = None) -> None:
    """Send a test by a channel, and say what came of it."""

    async def work(open_: Messaging) -> Told:
        db, now = open_.store.db, open_.store.clock.now()
        async with db.read() as reading:
            channel_id = await _id_of(reading, name)
        return await notifications.test(db, open_.messenger, channel_id, actor=ACTOR, now=now)

    told = _with_messenger(load_settings(data), work)
    if not told.is_delivered:
        say(f"{name} was not told: {told.detail}")
        raise typer.Exit(FAILED)
    answer(f"{name} was told: {told.detail}")


@app.command()
def retry(
    notification_id: Annotated[str | None, typer.Argument(help="As in the log; left out, all dead ones.")] = None,
    channel: OfChannel = None,
    data: Data = None,
) -> None:
    """Try dead notifications again; a running service sends them within seconds."""

    async def work(db: Connection, now: datetime) -> int:
        if notification_id is not None:
            await notifications.retry(db, notification_id, actor=ACTOR, now=now)
            return 1
        channel_id = await _id_of(db, channel) if channel else None
        return await notifications.retry_dead(db, channel=channel_id, actor=ACTOR, now=now)

    answer(f"{in_transaction(load_settings(data), work)} are tried again.")


async def _id_of(db: Connection, name: str) -> str:
    """Whoever types knows a channel by its name."""
    found = [each.public_id for each in await notification_channels.listed(db) if name in (each.name, each.public_id)]
    if not found:
        raise NotFound(f"there is no channel {name[:100]!r}; `lamplighter notifications channels` lists them")
    return found[0]


def _with_messenger(settings: Settings, work: Callable[[Messaging], Awaitable[T]]) -> T:
    async def whole() -> T:
        async with open_messaging(settings) as opened:
            return await work(opened)

    return loop.run(whole())


def _rule_line(view: RuleView) -> str:
    rule = view.rule
    about = f"source {view.source_name}" if view.source_name else f"tag {rule.tag}" if rule.tag else "all"
    often = f"  {rule.threshold} in a row" if rule.threshold > 1 else ""
    digest = f"  every {rule.digest_minutes} min" if rule.digest_minutes else ""
    off = "" if rule.enabled else "  off"
    return f"{rule.public_id}  {view.channel_name}  {rule.kind}  {about}{often}{digest}{off}"


def _line(word: str) -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(word, hide_input=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")
