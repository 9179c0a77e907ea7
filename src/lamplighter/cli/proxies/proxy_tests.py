"""`lamplighter proxies test`: tests each proxy with each host."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.progress import Progress

from lamplighter.app import Store, open_door, open_store
from lamplighter.cli.terminal import loop, tables
from lamplighter.cli.terminal.console import FAILED, err, print_json
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.tables import TableColumn
from lamplighter.errors import BadInput
from lamplighter.operations.proxies import domain_proxies, proxy_trials
from lamplighter.operations.proxies.proxy_trials import MOST_CELLS, ProxyTrials, TrialOutcome, TrialPair
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection
from lamplighter.store.proxies import proxy_lists

#: the largest number that a database column holds
BIGGEST = 2**63 - 1
_COLUMNS = (
    TableColumn(heading="Host", rank=0),
    TableColumn(heading="No.", rank=1, is_number=True),
    TableColumn(heading="Proxy", rank=4, least=16),
    TableColumn(heading="Result", rank=2),
    TableColumn(heading="Status", rank=5, is_number=True),
    TableColumn(heading="Time", rank=6, is_number=True),
    TableColumn(heading="Why", rank=3, least=20),
)


def run(
    proxy: Annotated[
        list[int] | None,
        typer.Option(min=1, max=BIGGEST, help="A proxy's number; may be given several times.", show_default="all"),
    ] = None,
    host: Annotated[
        list[str] | None,
        typer.Option(help="A host; may be given several times.", show_default="all that have proxies"),
    ] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Fetch a page of each host through each proxy, in the host's turn."""
    outcomes = loop.run(_test(load_settings(data), proxy or [], host or [], is_quiet=as_json))
    if as_json:
        print_json([_form(each) for each in outcomes])
    else:
        tables.show(_COLUMNS, _rows(outcomes))
    if not all(each.tried.ok for each in outcomes):
        raise typer.Exit(FAILED)


async def _test(
    settings: Settings, numbers: Sequence[int], names: Sequence[str], *, is_quiet: bool
) -> list[TrialOutcome]:
    async with open_store(settings) as store, open_door(settings, store) as door:
        cells = await _cells(store, numbers, names)
        trials = ProxyTrials(store.db, trial=door.fetcher.trial, clock=store.clock)
        with Progress(console=err(), transient=True, disable=is_quiet) as progress:
            bar = progress.add_task("Testing", total=len(cells))
            return await trials.run(cells, is_wanted=_is_wanted, on_outcome=lambda outcome: progress.advance(bar))


async def _cells(store: Store, numbers: Sequence[int], names: Sequence[str]) -> list[TrialPair]:
    now = store.clock.now()

    async def work(db: Connection) -> list[TrialPair]:
        ids = numbers or await proxy_lists.all_ids(db, limit=MOST_CELLS + 1)
        if not ids:
            raise BadInput("there is no proxy to test; `lamplighter proxies add URL` adds one")
        pools, _ = await domain_proxies.listed(db, limit=MOST_CELLS + 1, offset=0, now=now)
        hosts = names or [each.domain_name for each in pools]
        if not hosts:
            raise BadInput("no host has proxies of its own; name one with --host example.org")
        return await proxy_trials.plan(db, proxy_ids=ids, names=hosts, now=now)

    return await store.db.write(work)


async def _is_wanted() -> bool:
    """Always true: the user stops the test by interrupting the program."""
    return True


def _form(outcome: TrialOutcome) -> dict[str, object]:
    cell = {name: getattr(outcome.cell, name) for name in ("proxy_id", "proxy", "host", "url")}
    return cell | {name: getattr(outcome.tried, name) for name in ("ok", "status", "took_ms", "detail", "at")}


def _rows(outcomes: Sequence[TrialOutcome]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for each in sorted(outcomes, key=lambda outcome: (outcome.cell.host, outcome.cell.proxy_id)):
        cell, tried = each.cell, each.tried
        took = None if tried.took_ms is None else f"{tried.took_ms:.0f} ms"
        answered = "ok" if tried.ok else "failed"
        rows.append((cell.host, cell.proxy_id, cell.proxy, answered, tried.status, took, tried.detail))
    return rows
