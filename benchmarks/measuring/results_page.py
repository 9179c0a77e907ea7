"""The page of results, docs/benchmarks.md: the machine, what was promised and whether it holds, and every table."""

import json
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size

#: whose versions bear on the figures
_PACKAGES: Final = ("pycurl", "uvloop", "lxml", "turbohtml", "SQLAlchemy", "asyncpg", "orjson", "numpy")
_MISSING: Final = "not measured on this machine yet"
_HEAD: Final = """\
# Benchmarks

Written by `make bench`, which is `python -m benchmarks.run` (`--only crawl,claims` measures some parts anew and keeps
the others, `--quick` shows within minutes whether something went wrong and writes elsewhere). Every part can be run
alone with other numbers: `python -m benchmarks.claims --help`. Figures are CPU seconds wherever that is possible:
other work on the machine moves them less than it moves the wall clock, though it does move them.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A part that was run: what it found, or why it found nothing."""

    part: str
    size: Size
    at: datetime
    seconds: float
    findings: Findings | None
    problem: str = ""

    def write(self, folder: Path) -> None:
        """Keeps it until the part is run again."""
        told = asdict(self) | {"at": self.at.isoformat(timespec="seconds")}
        (folder / f"{self.part}.json").write_text(json.dumps(told, indent=1) + "\n")


def kept(folder: Path, part: str) -> Outcome | None:
    """What the part found when it was last run; None if it never was."""
    file = folder / f"{part}.json"
    if not file.exists():
        return None
    told: dict[str, Any] = json.loads(file.read_text())
    return Outcome(
        part=told["part"],
        size=Size(told["size"]),
        at=datetime.fromisoformat(told["at"]),
        seconds=told["seconds"],
        findings=None if told["findings"] is None else Findings.from_json(told["findings"]),
        problem=told["problem"],
    )


def text(parts: Sequence[Part], outcomes: dict[str, Outcome], *, before: str = "") -> str:
    """The whole page; of a part that was never run here, what the page said `before`."""
    machine = _machine(outcomes, is_partial=len(outcomes) < len(parts))
    lines = [_HEAD, *machine, "", "## Promises", "", *_promises(parts, outcomes, before)]
    for part in parts:
        lines += ["", f"## {part.title}", "", part.about, ""]
        outcome = outcomes.get(part.name)
        lines += _section(outcome) if outcome else _said(part, before)
    return "\n".join(lines).rstrip() + "\n"


def _machine(outcomes: dict[str, Outcome], *, is_partial: bool) -> Iterator[str]:
    moments = [outcome.at for outcome in outcomes.values()] or [datetime.now(UTC)]
    taken = sorted({moment.date().isoformat() for moment in (min(moments), max(moments))})
    yield "| | |"
    yield "|---|---|"
    yield f"| taken | {' to '.join(taken)}{'; parts that were not run then are older' if is_partial else ''} |"
    yield f"| machine | {platform.machine()}, {_processor()}, {os.cpu_count()} cores, {_memory_gb():.0f} GB |"
    yield f"| system | {platform.system()} {platform.release()}, Python {platform.python_version()} |"
    yield f"| libraries | {', '.join(f'{name} {_version(name)}' for name in _PACKAGES)} |"
    yield f"| took | {sum(outcome.seconds for outcome in outcomes.values()) / 60:.0f} minutes |"


def _promises(parts: Sequence[Part], outcomes: dict[str, Outcome], before: str) -> Iterator[str]:
    yield "| Promise | Bar | Measured | |"
    yield "|---|---|---|---|"
    for part in parts:
        outcome = outcomes.get(part.name)
        if outcome is None:
            yield from (line for line in before.splitlines() if line.startswith(f"| {part.title}: "))
            continue
        for figure in outcome.findings.figures if outcome.findings else ():
            yield f"| {part.title}: {figure.name} | {figure.bar} | {measured(figure)} | {_verdict(figure)} |"


def measured(figure: Figure) -> str:
    """The value with its unit."""
    return f"{figure.value:,g} {figure.unit}".rstrip()


def _verdict(figure: Figure) -> str:
    return "met" if figure.is_met else "**missed**"


def _said(part: Part, before: str) -> list[str]:
    """What a page written earlier says of a part, without its title and what the part is about."""
    _, _, rest = before.partition(f"\n## {part.title}\n\n")
    section, _, _ = rest.partition("\n## ")
    _, _, told = section.partition("\n\n")
    return told.splitlines() or [f"*{_MISSING}*"]


def _section(outcome: Outcome) -> Iterator[str]:
    if outcome.findings is None:
        yield f"*{outcome.problem}*"
        return
    for sheet in outcome.findings.sheets:
        yield from _sheet(sheet)
    for title, shown in outcome.findings.texts:
        yield from (f"<details><summary>{title}</summary>", "", "```text", shown, "```", "", "</details>", "")


def _sheet(sheet: Sheet) -> Iterator[str]:
    yield from (f"**{sheet.title}**", "")
    yield f"| {' | '.join(sheet.headings)} |"
    yield f"|{'|'.join('---:' if number else '---' for number in range(len(sheet.headings)))}|"
    for row in sheet.rows:
        yield f"| {' | '.join(row)} |"
    yield ""
    if sheet.note:
        yield from (sheet.note, "")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(absent)"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
