"""`lamplighter instances`: the processes that work on this database."""

from datetime import datetime

import typer

from lamplighter.cli.console import answer, print_json, say
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.cli.transaction import in_transaction
from lamplighter.operations import instances
from lamplighter.operations.instances import Seen
from lamplighter.store.database import Connection

app = typer.Typer(add_completion=False)


@app.command("instances")
def show(as_json: Json = False, data: Data = None) -> None:
    """Show the processes that work on this database, and which of them leads."""

    async def work(db: Connection, now: datetime) -> tuple[list[Seen], datetime]:
        return await instances.everyone(db, now=now), now

    seen, now = in_transaction(load_settings(data), work)
    if as_json:
        print_json(instances.form(seen))
        return
    if not seen:
        say("No process works on this database; start one with: lamplighter serve")
    for each in seen:
        answer(_line(each, now=now))


def _line(seen: Seen, *, now: datetime) -> str:
    each = seen.instance
    silent = (now - each.heartbeat_at).total_seconds()
    duties = ",".join(sorted(each.duties))
    leads = f"  leads: {', '.join(seen.leads)}" if seen.leads else ""
    return f"{each.id}  {each.kind}  {seen.state}  {duties}  {each.machine}:{each.pid}  heard {silent:.0f} s ago{leads}"
