"""`lamplighter notifications`: channels, rules and the notification log."""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, TypeVar

import typer

from lamplighter.app import Messaging, open_messaging
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import FAILED, answer, answer_lines, print_json, print_json_or_lines, say
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import ACTOR, in_transaction
from lamplighter.errors import NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.notification import Channel, DeliveryResult
from lamplighter.operations.alerts import notification_channels, notification_rules, notifications
from lamplighter.operations.alerts.notification_channels import ChannelSettings
from lamplighter.operations.alerts.notification_rules import RuleSettings, RuleView
from lamplighter.operations.alerts.notifications import LogEntry
from lamplighter.rules.formats.plural import counted
from lamplighter.settings import Settings
from lamplighter.store.alerts import notification_channels as stored_channels
from lamplighter.store.engine.database import Connection

app = typer.Typer(no_args_is_help=True, add_completion=False)
ChannelName = Annotated[str, typer.Argument(help="The channel's name.")]
OfChannel = Annotated[str | None, typer.Option("--channel", help="Only the channel with this name.")]
T = TypeVar("T")


@app.command()
def channels(as_json: Json = False, data: Data = None) -> None:
    """List the channels."""
    found = in_transaction(load_settings(data), lambda db, stamp: stored_channels.listed(db))
    print_json_or_lines(as_json, [asdict(each) for each in found], map(_channel_line, found))


@app.command("add-channel")
def add_channel(
    name: ChannelName,
    kind: Annotated[str, typer.Argument(help="webhook, email, slack or ntfy.")],
    with_secret: Annotated[
        bool, typer.Option("--with-secret", help="Also read a secret: it signs webhooks or authenticates at ntfy.")
    ] = False,
    max_per_minute: Annotated[
        int | None,
        typer.Option(
            help="Tries in a minute; what is beyond is gathered. 0: no limit.",
            show_default="60 for a webhook, else 10",
        ),
    ] = None,
    data: Data = None,
) -> None:
    """Add a channel; its target, then its secret, are read from standard input or prompted for on a terminal."""
    target = _line("Target")
    secret = _line("Secret") if with_secret else None
    settings = ChannelSettings(name=name, kind=kind, target=target, secret=secret, max_per_minute=max_per_minute)

    async def work(open_: Messaging) -> Channel:
        stamp = Stamp(ACTOR, open_.store.clock.now())
        return await open_.store.db.write(
            lambda db: notification_channels.add(db, settings, messenger=open_.messenger, stamp=stamp)
        )

    added = _with_messenger(load_settings(data), work)
    answer(f"{added.name} sends to {added.target_hint}; test it with: lamplighter notifications test {name!r}")


@app.command("remove-channel")
def remove_channel(name: ChannelName, data: Data = None) -> None:
    """Delete a channel with its rules and its log."""

    async def work(db: Connection, stamp: Stamp) -> None:
        await notification_channels.remove(db, await _id_of(db, name), stamp=stamp)

    in_transaction(load_settings(data), work)
    answer(f"{name} was deleted.")


@app.command()
def rules(channel: OfChannel = None, as_json: Json = False, data: Data = None) -> None:
    """List the rules, by channel."""

    async def work(db: Connection, stamp: Stamp) -> list[RuleView]:
        return await notification_rules.listed(db, channel=await _id_of(db, channel) if channel else None)

    found = in_transaction(load_settings(data), work)
    print_json_or_lines(as_json, [asdict(each) for each in found], map(_rule_line, found))


@app.command("add-rule")
def add_rule(
    channel: ChannelName,
    kind: Annotated[str, typer.Argument(help="run.failed, records.new, records.changed, price.fell, alert.fired …")],
    source: Annotated[str | None, typer.Option(help="Only the source with this id.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only sources with this tag.")] = None,
    threshold: Annotated[int, typer.Option(help="Threshold: failed runs in a row.")] = 1,
    digest_minutes: Annotated[
        int | None,
        typer.Option(
            help="Gather for this time; 0 sends each at once.",
            show_default="10 for records and pages, 5 for runs, 1 for alerts, 0 for tasks",
        ),
    ] = None,
    words: Annotated[str, typer.Option(help="Only records with one of these words, separated by commas.")] = "",
    field: Annotated[str, typer.Option(help="records.changed: only changes of this field.")] = "",
    price_below: Annotated[float, typer.Option(help="price.fell: the price that it fell below.")] = 0,
    with_baseline: Annotated[
        bool, typer.Option("--with-baseline", help="Also what a source's first complete run finds.")
    ] = False,
    data: Data = None,
) -> None:
    """Add a rule that sends one kind of event to a channel."""

    async def work(db: Connection, stamp: Stamp) -> RuleView:
        settings = RuleSettings(
            channel=await _id_of(db, channel),
            kind=kind,
            source=source,
            tag=tag,
            threshold=threshold,
            digest_minutes=digest_minutes,
            words=words,
            field=field,
            price_below=price_below,
            with_baseline=with_baseline,
        )
        return await notification_rules.add(db, settings, stamp=stamp)

    answer(_rule_line(in_transaction(load_settings(data), work)))


@app.command("remove-rule")
def remove_rule(rule_id: Annotated[str, typer.Argument(help="Its id, as listed.")], data: Data = None) -> None:
    """Delete a rule."""
    in_transaction(load_settings(data), lambda db, stamp: notification_rules.remove(db, rule_id, stamp=stamp))
    answer(f"{rule_id} was deleted.")


@app.command()
def log(
    channel: OfChannel = None,
    state: Annotated[str | None, typer.Option(help="gathering, pending, sent, dead or cancelled.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number to show.")] = 50,
    as_json: Json = False,
    data: Data = None,
) -> None:
    """Show the notification log, newest first."""

    async def work(db: Connection, stamp: Stamp) -> tuple[list[LogEntry], int]:
        channel_id = await _id_of(db, channel) if channel else None
        return await notifications.log(db, channel=channel_id, state=state, limit=limit, offset=0)

    found, total = in_transaction(load_settings(data), work)
    if as_json:
        return print_json([asdict(each) for each in found])
    answer_lines(map(_log_line, found))
    return answer(f"{len(found)} of {total} notifications.")


@app.command("test")
def send_test(name: ChannelName, data: Data = None) -> None:
    """Send a test notification to a channel and show the result."""

    async def work(open_: Messaging) -> DeliveryResult:
        db, stamp = open_.store.db, Stamp(ACTOR, open_.store.clock.now())
        async with db.read() as reading:
            channel_id = await _id_of(reading, name)
        return await notifications.test(db, open_.messenger, channel_id, stamp=stamp)

    result = _with_messenger(load_settings(data), work)
    if not result.is_delivered:
        say(f"The test of {name} failed: {result.detail}")
        raise typer.Exit(FAILED)
    answer(f"The test of {name} was sent: {result.detail}")


@app.command()
def retry(
    notification_id: Annotated[str | None, typer.Argument(help="The id from the log; default: all dead ones.")] = None,
    channel: OfChannel = None,
    data: Data = None,
) -> None:
    """Retry dead notifications; a running service sends them within seconds."""

    async def work(db: Connection, stamp: Stamp) -> int:
        if notification_id is not None:
            await notifications.retry(db, notification_id, stamp=stamp)
            return 1
        channel_id = await _id_of(db, channel) if channel else None
        return await notifications.retry_dead(db, channel=channel_id, stamp=stamp)

    answer(f"{in_transaction(load_settings(data), work)} will be retried.")


async def _id_of(db: Connection, name: str) -> str:
    """The id of the channel with this name."""
    found = [each.public_id for each in await stored_channels.listed(db) if name in (each.name, each.public_id)]
    if not found:
        raise NotFound(f"there is no channel {name[:100]!r}; `lamplighter notifications channels` lists them")
    return found[0]


def _with_messenger(settings: Settings, work: Callable[[Messaging], Awaitable[T]]) -> T:
    async def whole() -> T:
        async with open_messaging(settings) as opened:
            return await work(opened)

    return loop.run(whole())


def _channel_line(each: Channel) -> str:
    trouble = f"  {counted(each.failure_count, 'failure')} in a row: {each.last_error}" if each.last_error else ""
    return f"{each.name}  {each.kind}  {each.target_hint}  {'on' if each.enabled else 'off'}{trouble}"


def _rule_line(view: RuleView) -> str:
    rule = view.rule
    about = f"source {view.source_name}" if view.source_name else f"tag {rule.tag}" if rule.tag else "all"
    often = f"  {rule.threshold} in a row" if rule.threshold > 1 else ""
    digest = f"  every {rule.digest_minutes} min" if rule.digest_minutes else ""
    watch = {"words": rule.words, "field": rule.record_field, "below": rule.price_below}
    only = "".join(f"  {name} {value}" for name, value in watch.items() if value is not None)
    first = "  with the first run" if rule.with_baseline else ""
    off = "" if rule.enabled else "  off"
    return f"{rule.public_id}  {view.channel_name}  {rule.kind}  {about}{often}{only}{first}{digest}{off}"


def _log_line(entry: LogEntry) -> str:
    sent = entry.notification
    return (
        f"{sent.created_at:%Y-%m-%d %H:%M:%S}  {sent.public_id}  {entry.channel_name}  {sent.kind}  {sent.state}  "
        f"{entry.title}  {sent.detail or ''}".rstrip()
    )


def _line(word: str) -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(word, hide_input=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")
