"""`lamplighter bench`: runs the benchmarks on this machine, also against other installed crawlers.

The benchmarks are part of the source tree and are not installed with the package.
"""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from lamplighter.errors import BadInput

app = typer.Typer(add_completion=False)

TREE = Path(__file__).resolve().parents[4]


@app.command()
def bench(
    only: Annotated[
        str | None,
        typer.Option(metavar="PARTS", help="Names, separated by commas.", show_default="all"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small run: minutes instead of hours.")] = False,
    page: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write the page of results.", show_default="docs/benchmarks.md"),
    ] = None,
) -> None:
    """Run the benchmarks; exit code 1 if a target is missed or a benchmark fails."""
    if not (TREE / "benchmarks" / "run.py").is_file():
        message = "the benchmarks need the source tree, which is not installed; get it and run `make bench` there"
        raise BadInput(message)
    options = [*(("--only", only) if only else ()), *(("--quick",) if quick else ())]
    # It runs in the source tree, so a relative path of the file is resolved from here first.
    options += ["--page", str(page.resolve())] if page is not None else []
    raise typer.Exit(subprocess.run([sys.executable, "-m", "benchmarks.run", *options], cwd=TREE).returncode)
