"""`lamplighter debug`: helpers for external tests."""

import typer

from lamplighter import crash_points
from lamplighter.cli.terminal.console import print_json_or_lines
from lamplighter.cli.terminal.options import Json

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def group() -> None:
    """Helpers for external tests."""


@app.command("crash-points")
def list_crash_points(as_json: Json = False) -> None:
    """List the crash points for LAMPLIGHTER_CRASH_AT."""
    points = crash_points.POINTS
    width = max(map(len, points))
    print_json_or_lines(as_json, points, (f"{point:{width}}  {when}" for point, when in points.items()))
