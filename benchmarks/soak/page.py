"""docs/soak.md: what was promised of a service that is left alone, whether it held, and the figures behind it."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.soak.picture import Curve, svg
from benchmarks.soak.samples import Sample, Verdict, archive_is_used, stays_flat

FIGURES: Final = "figures.json"
DOCS: Final = Path(__file__).resolve().parent.parent.parent / "docs"
#: of the samples, before which caches fill and connections are opened
_WARM_UP: Final = 1 / 3
_COLUMNS: Final = (
    "requests", "CPU s", "RSS MB", "readers MB", "files", "threads", "sockets", "database MB", "WAL MB", "archive MB",
    "needed MB",
)  # fmt: skip
#: by how much memory may grow in real time
_MB_AN_HOUR: Final = 1.0
#: of the samples, before which the archive fills the room that it may take beyond what it keeps
_ARCHIVE_WARM_UP: Final = 1 / 2
#: rows of the table of samples
_SHOWN: Final = 11
_HEAD: Final = """\
# Soak

`python -m benchmarks.soak` watches 1,000 sources for an hour and for 30 virtual days and writes this page
(`--days 0` or `--minutes 0` leaves one part out and keeps what the page says of it).

The sites are on loopback. Three fifths answer as before with 304, most of the others rewrite a posting now and then,
one in twenty sends no validators. One in twenty each answers some requests with 500, with 429 and a Retry-After, with
nothing at all, with half a page, or late; every fiftieth is away for a sixth of the time, and another lacks its
robots.txt for as long. Their access logs are judged by the politeness witness (`tests/witness`).

What grows is judged by the middle of the slopes between any two samples, after the first third of the time.
"""
_REAL_ABOUT: Final = """\
`lamplighter serve` in a process of its own on SQLite, its sites in another, sources asked every one to three minutes
with at least half a second between requests to a host; somebody opens the dashboard, the API or the metrics every three
seconds. Within a day nothing that was found is forgotten, so the database and the archive grow with the runs, and with
the database the pages of it that SQLite keeps in memory (16 MB for the writer, 4 MB for each of four readers at most).
Besides, each thread that reads or writes it keeps room that the C library does not give back, and that grows with what
is read at once. The virtual days, in which these caches are kept small and that room is given back every hour, show
what is left: whether Python itself holds on to anything."""
_VIRTUAL_ABOUT: Final = """\
The service and its sites in one process, on a clock that skips what is only waited for; sources asked every six to
twelve hours. Runs, log lines and changes are kept for a day and two versions of each page, so that from the third day
on nothing has a reason to grow: the disk is judged here. The archive moves the segments of which least is needed while
more than a fifth of all is not, so it levels off at a quarter more room than what it keeps; in the minutes of a move,
what is moved stands there twice. It is judged by what it takes for what it keeps, from the first third on. By its slope
it is judged in the second half only: before, it fills the quarter that it may take, and grows by more than 5 %."""


def write(workspace: Path) -> list[Verdict]:
    """Writes the page and its pictures from whatever was soaked last; all verdicts."""
    lines, verdicts = [_HEAD], []
    for name, title, about, judge in (
        ("real", "Real time", _REAL_ABOUT, real_verdicts),
        ("virtual", "Virtual time", _VIRTUAL_ABOUT, virtual_verdicts),
    ):
        file = workspace / name / FIGURES
        if not file.exists():
            lines += [*_as_it_was(title), ""]
            continue
        found = json.loads(file.read_text())
        samples = [Sample.from_json(sample) for sample in found["samples"]]
        judged = list(judge(found, samples))
        verdicts += judged
        picture = DOCS / "pictures" / f"soak-{name}.svg"
        picture.write_text(svg(samples, _curves(), unit="minutes" if name == "real" else "hours"))
        lines += [f"## {title}", "", about, ""]
        lines += [*_summary(found), "", *_judged(judged), "", *_table(samples, name), ""]
        lines += [f"![Memory, files, disk over time](pictures/{picture.name})", ""]
    (DOCS / "soak.md").write_text("\n".join(lines).rstrip() + "\n")
    return verdicts


def _as_it_was(title: str) -> list[str]:
    """What the page says of a part of which there are no figures here."""
    parts = (DOCS / "soak.md").read_text().split("\n## ")
    kept = next((part for part in parts if part.startswith(f"{title}\n")), f"{title}\n\n*Not soaked yet.*")
    return f"## {kept}".rstrip().splitlines()


def real_verdicts(found: dict[str, Any], samples: Sequence[Sample]) -> Iterator[Verdict]:
    """Of the real minutes."""
    settled = [sample for sample in samples if sample.at >= _WARM_UP * samples[-1].at]
    hours = (settled[-1].at - settled[0].at) / 60
    yield from _common(found, samples)
    yield _is("every visit is answered", {"200": sum(found["visits"].values())} == found["visits"], found["visits"])
    yield stays_flat(settled, "rss_mb", claim="memory", unit="MB", within=_MB_AN_HOUR * hours)
    yield stays_flat(settled, "readers_rss_mb", claim="memory of the readers", unit="MB", within=2)
    yield stays_flat(settled, "open_files", claim="open files", unit="", within=0.2 * found["sources"])
    yield stays_flat(settled, "connections", claim="connections", unit="", within=0.2 * found["sources"])
    yield stays_flat(settled, "threads", claim="threads", unit="", within=1)
    yield stays_flat(settled, "wal_mb", claim="write-ahead log", unit="MB", within=1)


def virtual_verdicts(found: dict[str, Any], samples: Sequence[Sample]) -> Iterator[Verdict]:
    """Of the virtual days."""
    settled = [sample for sample in samples if sample.at >= _WARM_UP * samples[-1].at]
    yield from _common(found, samples)
    yield stays_flat(settled, "rss_mb", claim="memory", unit="MB", within=0.02 * settled[0].rss_mb)
    yield stays_flat(settled, "open_files", claim="open files", unit="", within=5)
    yield stays_flat(settled, "connections", claim="connections", unit="", within=5)
    yield stays_flat(settled, "threads", claim="threads", unit="", within=1)
    yield stays_flat(settled, "database_mb", claim="database", unit="MB", within=0.05 * settled[0].database_mb)
    needed, filled = settled[0].needed_mb, [one for one in samples if one.at >= _ARCHIVE_WARM_UP * samples[-1].at]
    yield stays_flat(settled, "needed_mb", claim="what the archive keeps", unit="MB", within=0.05 * needed)
    yield archive_is_used(settled, usually=1.3, always=2)
    taken = filled[0].archive_mb
    yield stays_flat(filled, "archive_mb", claim="archive, second half", unit="MB", within=0.05 * taken)
    yield stays_flat(settled, "wal_mb", claim="write-ahead log", unit="MB", within=1)


def _common(found: dict[str, Any], samples: Sequence[Sample]) -> Iterator[Verdict]:
    crawled, outcomes = found["runs"]["sources_crawled"], found["runs"]["outcomes"]
    yield _is("no line of the log is an error", samples[-1].errors == 0, samples[-1].errors)
    yield _is("the witness finds no violation", found["politeness"]["count"] == 0, found["politeness"]["count"])
    yield _is("every source is crawled", crawled == found["sources"], f"{crawled} of {found['sources']}")
    good, all_runs = outcomes.get("ok", 0), sum(outcomes.values())
    yield _is("nine runs in ten are good", good >= 0.9 * all_runs, f"{good:,} of {all_runs:,}")


def _is(claim: str, holds: bool, measured: object) -> Verdict:
    return Verdict(claim=claim, measured=_words(measured), bar="", holds=holds)


def _words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count:,} × {name}" for name, count in sorted(value.items()))
    return str(value)


def _summary(found: dict[str, Any]) -> Iterator[str]:
    length = f"{found['minutes']:g} real minutes" if "minutes" in found else f"{found['days']:g} virtual days"
    yield f"{length}, {found['sources']} sources, {found['requests']:,} requests ({_words(found['statuses'])})."
    if None not in (stale := found.get("staleness", {"promised": None})).values():
        yield f"Staleness: promised {stale['promised']:.1%}, measured {stale['measured']:.1%}."
    complaints = _words(found["log"]) or "nothing to complain of"
    yield f"Runs at the end: {_words(found['runs']['outcomes'])}. Log: {complaints}."


def _judged(verdicts: Sequence[Verdict]) -> Iterator[str]:
    yield "| Claim | Measured | Bar | |"
    yield "|---|---|---|---|"
    for verdict in verdicts:
        yield f"| {verdict.claim} | {verdict.measured} | {verdict.bar} | {'holds' if verdict.holds else '**fails**'} |"


def _table(samples: Sequence[Sample], name: str) -> Iterator[str]:
    unit = "minute" if name == "real" else "hour"
    yield f"| {unit} | {' | '.join(_COLUMNS)} |"
    yield f"|{'---:|' * (1 + len(_COLUMNS))}"
    for number in range(_SHOWN):
        each = samples[round(number * (len(samples) - 1) / (_SHOWN - 1))]
        sizes = (each.database_mb, each.wal_mb, each.archive_mb, each.needed_mb)
        yield (
            f"| {each.at:.0f} | {each.requests:,} | {each.cpu_seconds:.0f} | {each.rss_mb:.1f} | "
            f"{each.readers_rss_mb:.1f} | {each.open_files} | {each.threads} | {each.connections} | "
            f"{' | '.join(f'{size:.1f}' for size in sizes)} |"
        )


def _curves() -> tuple[Curve, ...]:
    return (
        Curve(name="memory MB", of=lambda sample: sample.rss_mb),
        Curve(name="open files", of=lambda sample: sample.open_files),
        Curve(name="database and archive MB", of=lambda sample: sample.database_mb + sample.archive_mb),
        Curve(name="requests", of=lambda sample: sample.requests),
    )
