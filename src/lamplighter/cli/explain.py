"""`lamplighter explain`: what would happen to this URL now, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from lamplighter.app import default_policy, open_door, open_store
from lamplighter.cli import demo, loop
from lamplighter.cli.console import answer, print_json
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.model.crawl import PauseReason
from lamplighter.model.visit import Refusal
from lamplighter.operations import explain as operation
from lamplighter.operations.explain import Explanation
from lamplighter.operations.explain_words import VERDICTS, why_it_rests
from lamplighter.rules import reasons
from lamplighter.rules.robots_parse import product_token
from lamplighter.settings import Settings

app = typer.Typer(add_completion=False)
#: what somebody at the command line can do about an obstacle that does not say it itself
_REMEDIES = {
    "standstill": "`lamplighter resume` lets it go on",
    Refusal.TAKEDOWN: "`lamplighter hosts remove-takedown` takes it off",
    Refusal.HOST_DISABLED: "`lamplighter hosts enable` does",
}


@app.command()
def explain(
    url: Annotated[str, typer.Argument(help="The URL in question.")], data: Data = None, as_json: Json = False
) -> None:
    """Say what would happen to a URL now, and why; asks nothing of the site."""
    settings = load_settings(data)
    found, of_the_demo = loop.run(_explain(settings, url))
    if as_json:
        return print_json(asdict(found))
    for sentence in sentences(found):
        answer(sentence)
    if found.host["host"] in of_the_demo:
        answer(f"Note: {found.host['host']} is the demo's, and open only to a service that runs with --demo.")
    return None


async def _explain(settings: Settings, url: str) -> tuple[Explanation, Sequence[str]]:
    """What is known, and the demo's sites, which a service opens that runs with them."""
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
    """The explanation for people, the verdict first."""
    yield f"{found.url} {VERDICTS[found.would_be_asked]}."
    for obstacle in found.obstacles:
        remedy = f"; {_REMEDIES[obstacle.reason]}" if obstacle.reason in _REMEDIES else ""
        yield f"Why not ({obstacle.reason}): {obstacle.why}{remedy}."
    yield f"robots.txt: {_robots(found.robots)}."
    for sentence in found.not_known:
        yield f"Not known: {sentence}."
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
        f"{host['max_concurrency']} at once, up to {host['max_pages']} pages a run; "
        f"next turn {_time(host['next_turn_at'])}."
    )


def _page(page: dict[str, Any] | None) -> str:
    if page is None:
        return "Page: not known; no source has led to it yet."
    # With a trouble, the status is of that, and the time of when the page was had before it.
    answered = f"answered {page['status']}" if not page["reason"] else "last had"
    last = f", {answered} on {_time(page['fetched_at'])}" if page["fetched_at"] else ", not had yet"
    rule = f", allowed by {page['allowed_by']!r}" if page["allowed_by"] else ""
    trouble = f", {page['reason']}: {page['detail']}" if page["reason"] else ""
    again = f", next try {_time(page['next_try_at'])}" if page["next_try_at"] else ""
    return f"Page: {page['phase']}, {page['depth']} steps from its source{last}{rule}{trouble}{again}."


def rest_sentence(rest: dict[str, Any]) -> str | None:
    """When a linked page is asked for again, and why then; None while it is under way."""
    if rest["why"] == "under_way":
        return None
    if rest["why"] == "asked_in_every_run":
        return "It is asked for in every run."
    if rest["why"] == "missing" or rest["until"] is None:
        return "It is asked again as soon as it is linked: it was not there, or could not be had."
    return f"It is asked again from {_time(rest['until'])}, if it is linked: {why_it_rests(rest)}."


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
