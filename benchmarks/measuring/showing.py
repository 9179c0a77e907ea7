"""A part by itself, on the screen: what `python -m benchmarks.PART` prints."""

from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from benchmarks.measuring.findings import Findings, Sheet


def show(findings: Findings, console: Console | None = None) -> None:
    """Tables, then promises, then plans."""
    console = console or Console()
    for sheet in findings.sheets:
        console.print(_table(sheet))
    for figure in findings.figures:
        verdict = "met" if figure.is_met else "MISSED"
        style = None if figure.is_met else "red"
        measured = f"{figure.value:,.3g} {figure.unit}".rstrip()
        console.print(f"{verdict}: {figure.name}: {measured} ({figure.bar})", style=style, highlight=False)
    for title, text in findings.texts:
        console.print(f"\n{title}\n{text}", highlight=False, markup=False, soft_wrap=True)


def alone(measure: Callable[[Callable[[str], None]], Findings]) -> int:
    """Measures with a line that says what is going on; 1 when a promise is not kept."""
    console = Console()
    with console.status("") as status:
        findings = measure(status.update)
    show(findings, console)
    return int(not all(figure.is_met for figure in findings.figures))


def _table(sheet: Sheet) -> Table:
    table = Table(title=sheet.title, caption=sheet.note or None)
    for number, heading in enumerate(sheet.headings):
        table.add_column(heading, justify="right" if number else "left")
    for row in sheet.rows:
        table.add_row(*row)
    return table
