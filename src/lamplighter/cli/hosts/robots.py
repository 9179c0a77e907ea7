"""`lamplighter robots`: checks a URL against a robots.txt and shows the deciding line."""

from pathlib import Path
from typing import Annotated

import typer

from lamplighter.cli.terminal.console import FAILED, answer, print_json
from lamplighter.cli.terminal.options import Json, is_url, load_settings, read_bytes
from lamplighter.model.host import RobotsVerdict
from lamplighter.rules.robots.robots import compile_robots
from lamplighter.rules.robots.robots_parse import product_token
from lamplighter.rules.urls import urls

app = typer.Typer(add_completion=False)


@app.command()
def robots(
    path_or_url: Annotated[str, typer.Argument(help="A robots.txt, or any URL of the site that has one.")],
    url: Annotated[str, typer.Option(help="The URL to check; its path is enough.")],
    agent: Annotated[str | None, typer.Option(metavar="NAME", help="User agent.", show_default="this crawler")] = None,
    as_json: Json = False,
) -> None:
    """Check a URL against a robots.txt: exit code 0 if it is allowed, 1 if not."""
    settings = load_settings()
    token = product_token(agent or settings.resolved_user_agent)
    if is_url(path_or_url):
        from lamplighter.cli.terminal import fetching  # loads the fetch layer, which a file does not need

        target = urls.join(path_or_url, url) or urls.parse(url).href
        verdict = fetching.robots_verdict(settings, urls.parse(path_or_url), token=token, url=target)
    else:
        verdict = compile_robots(read_bytes(Path(path_or_url))).verdict(token, url)
    if as_json:
        print_json(_form(verdict))
    else:
        answer(_sentence(verdict, token))
    if not verdict.allowed:
        raise typer.Exit(FAILED)


def _form(verdict: RobotsVerdict) -> dict[str, object]:
    said = {name: getattr(verdict, name) for name in ("allowed", "rule", "line", "group")}
    delay = verdict.crawl_delay
    return said | {"crawl_delay_seconds": delay.total_seconds() if delay is not None else None}


def _sentence(verdict: RobotsVerdict, token: str) -> str:
    word = "Allowed" if verdict.allowed else "Disallowed"
    where = f" (line {verdict.line})" if verdict.line is not None else ""
    why = f"by {verdict.rule!r}{where}" if verdict.rule else "no rule matches"
    group = f", in the group of {verdict.group!r}" if verdict.group else ", no group applies"
    delay = f"; Crawl-delay {verdict.crawl_delay.total_seconds():g} s" if verdict.crawl_delay is not None else ""
    return f"{word} for {token}: {why}{group}{delay}."
