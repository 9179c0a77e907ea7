"""`lamplighter debug`: helpers for external tests."""

import typer

from lamplighter import crash_points
from lamplighter.cli.terminal.console import answer_lines, print_json
from lamplighter.cli.terminal.options import Json

app = typer.Typer(help="Helpers for external tests.", no_args_is_help=True, add_completion=False)


@app.callback()
def group() -> None:
    """Helpers for external tests."""


@app.command("crash-points")
def list_crash_points(as_json: Json = False) -> None:
    """List the crash points for LAMPLIGHTER_CRASH_AT."""
    if as_json:
        return print_json(crash_points.POINTS)
    width = max(map(len, crash_points.POINTS))
    return answer_lines(f"{point:{width}}  {when}" for point, when in crash_points.POINTS.items())
