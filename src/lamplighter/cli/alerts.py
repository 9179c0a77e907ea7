"""`lamplighter alerts`: what is wrong now."""

from datetime import datetime

import typer

from lamplighter.cli.console import answer, print_json, say
from lamplighter.cli.failing import FAILED
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.cli.transaction import in_transaction
from lamplighter.operations import alerts, instances
from lamplighter.operations.alerts import Told
from lamplighter.store.database import Connection

app = typer.Typer(add_completion=False)


@app.command("alerts")
def show(as_json: Json = False, data: Data = None) -> None:
    """Show the alerts that fire, and those that have not held for long enough; exit code 1 when any fires."""

    async def work(db: Connection, now: datetime) -> tuple[list[Told], list[Told], int]:
        firing, pending = await alerts.open_ones(db)
        return firing, pending, (await instances.counts(db, now=now)).alive

    firing, pending, alive = in_transaction(load_settings(data), work)
    if not alive:
        say("No process works on this database, so nobody has looked lately; start one with: lamplighter serve")
    if as_json:
        print_json(alerts.form([*firing, *pending]))
    else:
        _print(firing, pending)
    if firing:
        raise typer.Exit(FAILED)


def _print(firing: list[Told], pending: list[Told]) -> None:
    for each in firing:
        alert = each.alert
        answer(f"{alert.severity}  {alert.rule}  since {alert.since:%Y-%m-%d %H:%M} UTC  {alert.detail}")
        if each.rule is not None:
            answer(f"    {each.rule.remedy}")
    for each in pending:
        answer(f"pending  {each.alert.rule}  since {each.alert.since:%Y-%m-%d %H:%M} UTC  {each.alert.detail}")
    if not firing:
        say("No alert fires.")
