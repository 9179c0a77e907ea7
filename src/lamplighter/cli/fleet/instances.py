"""`lamplighter instances`: lists the processes on this database."""

from datetime import datetime

import typer

from lamplighter.cli.terminal.console import answer, print_json, say
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import in_transaction
from lamplighter.model.access import Stamp
from lamplighter.operations.fleet import instances
from lamplighter.operations.fleet.instances import InstanceStatus
from lamplighter.store.engine.database import Connection

app = typer.Typer(add_completion=False)


@app.command("instances")
def show(as_json: Json = False, data: Data = None) -> None:
    """Show the processes on this database, and which of them leads."""

    async def work(db: Connection, stamp: Stamp) -> tuple[list[InstanceStatus], datetime]:
        return await instances.everyone(db, now=stamp.now), stamp.now

    seen, now = in_transaction(load_settings(data), work)
    if as_json:
        print_json(instances.form(seen))
        return
    if not seen:
        say("No process runs on this database; start one with: lamplighter serve")
    for each in seen:
        answer(_line(each, now=now))


def _line(seen: InstanceStatus, *, now: datetime) -> str:
    each = seen.instance
    silent = (now - each.heartbeat_at).total_seconds()
    duties = ",".join(sorted(each.duties))
    leads = f"  leads: {', '.join(seen.leads)}" if seen.leads else ""
    return f"{each.id}  {each.kind}  {seen.state}  {duties}  {each.machine}:{each.pid}  seen {silent:.0f} s ago{leads}"
