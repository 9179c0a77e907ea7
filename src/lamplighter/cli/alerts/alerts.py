"""`lamplighter alerts`: lists firing and pending alerts."""

import typer

from lamplighter.cli.terminal.console import FAILED, answer, print_json, say
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import in_transaction
from lamplighter.model.access import Stamp
from lamplighter.operations.alerts import alerts
from lamplighter.operations.alerts.alerts import AlertView
from lamplighter.operations.fleet import instances
from lamplighter.store.engine.database import Connection

app = typer.Typer(add_completion=False)


@app.command("alerts")
def show(as_json: Json = False, data: Data = None) -> None:
    """Show firing and pending alerts; exit code 1 if any fires."""

    async def work(db: Connection, stamp: Stamp) -> tuple[list[AlertView], list[AlertView], int]:
        firing, pending = await alerts.open_ones(db)
        return firing, pending, (await instances.counts(db, now=stamp.now)).alive

    firing, pending, alive = in_transaction(load_settings(data), work)
    if not alive:
        say("No process runs on this database, so the alerts may be outdated; start one with: lamplighter serve")
    if as_json:
        print_json(alerts.form([*firing, *pending]))
    else:
        _print(firing, pending)
    if firing:
        raise typer.Exit(FAILED)


def _print(firing: list[AlertView], pending: list[AlertView]) -> None:
    for each in firing:
        alert = each.alert
        answer(f"{alert.severity}  {alert.rule}  since {alert.since:%Y-%m-%d %H:%M} UTC  {alert.detail}")
        if each.rule is not None:
            answer(f"    {each.rule.remedy}")
    for each in pending:
        answer(f"pending  {each.alert.rule}  since {each.alert.since:%Y-%m-%d %H:%M} UTC  {each.alert.detail}")
    if not firing:
        say("No alert fires.")
