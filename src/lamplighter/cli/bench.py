"""`lamplighter bench`: measures this machine, beside other crawlers where those are installed.

What is measured with belongs to the source tree and is not installed with the package: it runs from there.
"""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from lamplighter.errors import BadInput

app = typer.Typer(add_completion=False)

_TREE = Path(__file__).resolve().parents[3]


@app.command()
def bench(
    only: Annotated[
        str | None,
        typer.Option(metavar="PARTS", help="Names with commas between.", show_default="all"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small numbers, in minutes instead of hours.")] = False,
    page: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the page of results is written.", show_default="docs/benchmarks.md"),
    ] = None,
) -> None:
    """Measure this machine; exit code 1 when a promise is not kept or a part could not be measured."""
    if not (_TREE / "benchmarks" / "run.py").is_file():
        message = "the benchmarks are part of the source tree, which is not here; get it and run `make bench` there"
        raise BadInput(message)
    options = [*(("--only", only) if only else ()), *(("--quick",) if quick else ())]
    # The tree is where it runs; the file is where it was meant from here.
    options += ["--page", str(page.resolve())] if page is not None else []
    raise typer.Exit(subprocess.run([sys.executable, "-m", "benchmarks.run", *options], cwd=_TREE).returncode)
