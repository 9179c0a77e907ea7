"""`lamplighter debug`: for those who test the service from outside."""

import typer

from lamplighter import crash_points
from lamplighter.cli.console import answer, print_json
from lamplighter.cli.options import Json

app = typer.Typer(help="For tests from outside.", no_args_is_help=True, add_completion=False)


@app.callback()
def group() -> None:
    """For tests from outside."""


@app.command("crash-points")
def list_crash_points(as_json: Json = False) -> None:
    """List the points at which LAMPLIGHTER_CRASH_AT can end the process."""
    if as_json:
        return print_json(crash_points.POINTS)
    width = max(map(len, crash_points.POINTS))
    for point, when in crash_points.POINTS.items():
        answer(f"{point:{width}}  {when}")
    return None
