"""Lets 1,000 sources be watched for an hour and for 30 virtual days, and says whether anything grew or broke.

    python -m benchmarks.soak [--minutes 60] [--days 30] [--sources 1000]

Figures and a picture go to docs/soak.md and docs/pictures; 0 minutes or days leave that part out and keep the figures
that the page has of it.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from benchmarks.soak import page, real, virtual
from benchmarks.soak.samples import Sample

_WORKSPACE: Final = Path(__file__).resolve().parent.parent.parent / ".bench" / "soak"


def main() -> int:
    """Soaks, writes the page; 1 when a verdict does not hold."""
    arguments = _arguments()
    console = Console()
    parts: dict[str, Callable[[Path], dict[str, Any]]] = {
        "real": lambda folder: real.run(
            folder, minutes=arguments.minutes, sites=arguments.sources, on_sample=_show(console, "minute")
        ),
        "virtual": lambda folder: virtual.run(
            folder, days=arguments.days, sites=arguments.sources, on_sample=_show(console, "hour")
        ),
    }
    wanted = {"real": arguments.minutes, "virtual": arguments.days}
    for name, soak in parts.items():
        if not wanted[name]:
            continue
        folder = _WORKSPACE / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (_WORKSPACE.parent / ".gitignore").write_text("*\n")
        (folder / page.FIGURES).write_text(json.dumps(soak(folder), indent=1) + "\n")
    verdicts = page.write(_WORKSPACE)
    for verdict in verdicts:
        style = None if verdict.holds else "red"
        word = "holds" if verdict.holds else "FAILS"
        console.print(f"{word}: {verdict.claim}: {verdict.measured} ({verdict.bar})", style=style, highlight=False)
    return int(not all(verdict.holds for verdict in verdicts))


def _show(console: Console, unit: str) -> Callable[[Sample], None]:
    def show(sample: Sample) -> None:
        console.print(
            f"{unit} {sample.at:g}: {sample.requests} requests, {sample.rss_mb:.1f} MB, {sample.open_files} files, "
            f"{sample.connections} sockets, database {sample.database_mb:.1f} MB, {sample.errors} errors",
            highlight=False,
        )

    return show


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60, help="real minutes (60)")
    parser.add_argument("--days", type=float, default=30, help="virtual days (30)")
    parser.add_argument("--sources", type=int, default=1000, help="how many are watched (1000)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
