"""`lamplighter explain`: explains what would happen to a URL now."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from lamplighter.app import default_policy, open_door, open_store
from lamplighter.cli.sources import demo
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import answer, answer_lines, print_json
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.model.crawl import PauseReason
from lamplighter.model.visit import Refusal
from lamplighter.operations.explain import explain as operation
from lamplighter.operations.explain.explain import VERDICTS, Explanation, why_not_revisited
from lamplighter.rules.formats.plural import counted
from lamplighter.rules.robots.robots_parse import product_token
from lamplighter.rules.schedule import reasons
from lamplighter.settings import Settings

app = typer.Typer(add_completion=False)
#: the command that removes an obstacle, for obstacles that do not name it themselves
_REMEDIES = {
    "standstill": "`lamplighter resume` resumes it",
    Refusal.TAKEDOWN: "`lamplighter hosts remove-takedown` removes it from the list",
    Refusal.HOST_DISABLED: "`lamplighter hosts enable` enables it",
}


@app.command()
def explain(
    url: Annotated[str, typer.Argument(help="The URL to explain.")], data: Data = None, as_json: Json = False
) -> None:
    """Explain what would happen to a URL now; sends no request to the site."""
    settings = load_settings(data)
    found, of_the_demo = loop.run(_explain(settings, url))
    if as_json:
        return print_json(asdict(found))
    answer_lines(sentences(found))
    if found.host["host"] in of_the_demo:
        answer(f"Note: {found.host['host']} belongs to the demo; only a service that runs with --demo may fetch it.")
    return None


async def _explain(settings: Settings, url: str) -> tuple[Explanation, Sequence[str]]:
    """The explanation, and the demo's sites that a service with --demo may fetch."""
    token = product_token(settings.resolved_user_agent)
    defaults = default_policy(settings)
    async with open_store(settings) as store:
        of_the_demo = await demo.opened(store.db)
        async with open_door(settings, store, also_allow=of_the_demo) as door:
            found = await operation.explain(
                store.db, url, token=token, defaults=defaults, now=store.clock.now(), barrier=door.barrier
            )
    return found, of_the_demo


def sentences(found: Explanation) -> Iterator[str]:
    """The explanation as sentences, the verdict first."""
    yield f"{found.url} {VERDICTS[found.would_be_asked]}."
    for obstacle in found.obstacles:
        remedy = f"; {_REMEDIES[obstacle.reason]}" if obstacle.reason in _REMEDIES else ""
        yield f"Why not ({obstacle.reason}): {obstacle.why}{remedy}."
    yield f"robots.txt: {_robots(found.robots)}."
    for sentence in found.not_known:
        yield f"Unknown: {sentence}."
    yield _host(found.host)
    yield _page(found.page)
    if found.page is not None and (rest := rest_sentence(found.page["rest"])):
        yield rest
    yield _source(found.source)


def _robots(robots: dict[str, Any]) -> str:
    if robots["allowed"] is None:
        return f"{robots['state']}; {robots['why']}"
    word = "allowed" if robots["allowed"] else "not allowed"
    return f"{word} by {robots['why']!r}, read {_time(robots['fetched_at'])}"


def _host(host: dict[str, Any]) -> str:
    return (
        f"Host {host['host']}: at least {reasons.span(host['delay_seconds'])} between requests ({host['why']}), "
        f"{counted(host['max_concurrency'], 'concurrent request')}, "
        f"up to {counted(host['max_pages'], 'page')} per run; "
        f"next turn {_time(host['next_turn_at'])}."
    )


def _page(page: dict[str, Any] | None) -> str:
    if page is None:
        return "Page: unknown; no source has led to it yet."
    # After a failed visit the status belongs to the failure, and the time to the last successful fetch before it.
    answered = f"answered {page['status']}" if not page["reason"] else "last fetched"
    last = f", {answered} on {_time(page['fetched_at'])}" if page["fetched_at"] else ", not fetched yet"
    rule = f", allowed by {page['allowed_by']!r}" if page["allowed_by"] else ""
    trouble = f", {page['reason']}: {page['detail']}" if page["reason"] else ""
    again = f", next try {_time(page['next_try_at'])}" if page["next_try_at"] else ""
    return f"Page: {page['phase']}, {counted(page['depth'], 'link')} from its source{last}{rule}{trouble}{again}."


def rest_sentence(rest: dict[str, Any]) -> str | None:
    """When and why a linked page is fetched again, None while it is being fetched."""
    if rest["why"] == "under_way":
        return None
    if rest["why"] == "asked_in_every_run":
        return "It is fetched in every run."
    if rest["why"] == "missing" or rest["until"] is None:
        return "It is fetched again as soon as a page links to it: it was missing or could not be fetched."
    return f"It is fetched again from {_time(rest['until'])}, if a page links to it: {why_not_revisited(rest)}."


def _source(source: dict[str, Any] | None) -> str:
    if source is None:
        return "Source: none."
    state = source["state"] or "no crawl job yet"
    reason = f" ({source['pause_reason']})" if source["pause_reason"] else ""
    is_planned = source["next_run_at"] and source["pause_reason"] != PauseReason.USER
    planned = f"next run {_time(source['next_run_at'])}, {source['why']}" if is_planned else "no run planned"
    return f"Source: {source['name']!r} ({source['url']}) is {state}{reason}; {planned}."


def _time(iso: str) -> str:
    return f"{iso[:19].replace('T', ' ')} UTC"
