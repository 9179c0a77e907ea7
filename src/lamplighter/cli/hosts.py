"""`lamplighter hosts`: how gently a host is asked, and whether at all."""

from typing import Annotated, Any

import typer

from lamplighter.app import norms, open_store
from lamplighter.cli import loop
from lamplighter.cli.console import answer
from lamplighter.cli.options import Data, load_settings
from lamplighter.errors import BadInput
from lamplighter.operations import hosts
from lamplighter.rules import urls
from lamplighter.settings import Settings
from lamplighter.store.database import Connection

app = typer.Typer(help="Hosts: their policies, and takedowns.", no_args_is_help=True, add_completion=False)
ACTOR = "command line"


@app.command()
def policy(
    host: Annotated[str, typer.Argument(help="example.org, with :port when it is not the usual one.")],
    min_delay_ms: Annotated[int | None, typer.Option(help="Least milliseconds between two requests.")] = None,
    max_concurrency: Annotated[int | None, typer.Option(help="Requests in flight at once.")] = None,
    max_pages: Annotated[int | None, typer.Option(help="Pages of one run.")] = None,
    max_page_kb: Annotated[int | None, typer.Option(help="Decompressed kibibytes of one page.")] = None,
    allow_js: Annotated[
        bool | None, typer.Option(help="Read its pages in a browser, after their scripts have run.")
    ] = None,
    windows: Annotated[
        str | None, typer.Option(help='When it may be asked, for example "deny 02:00-04:00 UTC"; "" means at any time.')
    ] = None,
    budget_per_hour: Annotated[float | None, typer.Option(help="Fetches per hour, over all its sources.")] = None,
    data: Data = None,
) -> None:
    """Change what we allow ourselves on a host. What robots.txt or the host itself asks for still comes first."""
    given = {
        "min_delay_ms": min_delay_ms,
        "max_concurrency": max_concurrency,
        "max_pages": max_pages,
        "max_page_kb": max_page_kb,
        "allow_js": allow_js,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    times: dict[str, Any] = {"windows": windows, "budget_per_hour": budget_per_hour}
    times = {name: value for name, value in times.items() if value is not None}
    if not changes and not times:
        raise BadInput(
            f"nothing to change for {host!r}; give --min-delay-ms, --max-concurrency, --max-pages, --max-page-kb, "
            "--allow-js, --windows or --budget-per-hour"
        )
    key = urls.parse(host if "://" in host else f"http://{host}/").host_key

    async def work(settings: Settings) -> None:
        async with open_store(settings) as store:
            now = store.clock.now()

            async def change(db: Connection) -> None:
                if changes:
                    await hosts.set_policy(db, key, actor=ACTOR, now=now, **changes)
                if times:
                    await hosts.set_times(db, key, actor=ACTOR, now=now, norms=norms(settings), **times)

            await store.db.write(change)

    loop.run(work(load_settings(data)))
    answer(f"{key}: " + ", ".join(f"{name} {value}" for name, value in (changes | times).items()))


@app.command()
def takedown(
    domain_or_url: Annotated[str, typer.Argument(help="A domain with its subdomains, or a URL and all below it.")],
    reason: Annotated[str | None, typer.Option(help="Who asked for it, and why.")] = None,
    data: Data = None,
) -> None:
    """Never ask a domain or URL prefix again."""

    async def work(settings: Settings) -> str:
        async with open_store(settings) as store:
            now = store.clock.now()
            return await store.db.write(
                lambda db: hosts.take_down(db, domain_or_url, actor=ACTOR, now=now, reason=reason)
            )

    answer(f"{loop.run(work(load_settings(data)))} will not be asked again.")
