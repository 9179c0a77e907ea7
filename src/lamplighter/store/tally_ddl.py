"""How tallies are kept: triggers, in the transaction of whatever changes what is counted.

Each depends on nothing but the row that changes, so that two who change different rows at once are both counted right.
PostgreSQL's statements may be applied any number of times, as the script of `db sql` is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

#: how long a step of `run_tallies` is
STEP_SECONDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a table of tallies counts; `{0}` stands for a row of what is counted."""

    table: str
    of: str
    #: the columns whose change may matter
    columns: tuple[str, ...]
    #: by what is counted
    keys: Mapping[str, str]
    #: what is added up
    sums: Mapping[str, str]
    #: which rows count
    counts: str = "true"
    #: which rows are taken off again when they go: those that are still counted
    leaves: str = "true"
    #: where a comparison begins: in what is counted, and in the tally
    since: tuple[str, str] = ("true", "true")
    #: which part a change goes into
    part: str

    def into(self) -> str:
        """Where something is added."""
        return f"INSERT INTO {self.table} ({', '.join(self.keys)}, part, {', '.join(self.sums)})"

    def of_row(self, row: str, *, sign: str, where: str = "") -> str:
        """What one row adds to its tally."""
        sums = (f"{sign}({each})" for each in self.sums.values())
        values = ", ".join((*self.keys.values(), self.part, *sums))
        return f"SELECT {values} WHERE {where or self.counts}".format(row)

    def of_rows(self, rows: str, *, sign: str, where: str = "") -> str:
        """What many rows add to their tallies."""
        sums = (f"{sign}sum({each})" for each in self.sums.values())
        values = ", ".join((*self.keys.values(), self.part, *sums))
        those = f"SELECT {values} FROM {rows} AS one WHERE {where or self.counts}".format("one")
        return f"{those} GROUP BY {_positions(self.keys)}"

    def differs(self, operator: str) -> str:
        """Whether what a row adds is another than before."""
        values = (*self.keys.values(), *self.sums.values(), self.counts)
        changed = (f"({value.format('old')}) {operator} ({value.format('new')})" for value in values if "{0}" in value)
        counted = " OR ".join(f"({self.counts.format(row)})" for row in ("old", "new"))
        return f"({counted}) AND ({' OR '.join(changed)})"

    def comparison(self) -> str:
        """Where a fresh count differs from the tally, and by how much."""
        fresh = ", ".join(f"{value} AS {name}" for name, value in (*self.keys.items(), *self.sums.items()))
        counted = f"SELECT {fresh} FROM {self.of} AS one WHERE {self.counts} AND {self.since[0]}".format("one")
        known = ", ".join((*self.keys, *(f"-{name}" for name in self.sums)))
        sums = ", ".join(f"sum({name})" for name in self.sums)
        differs = " OR ".join(f"sum({name}) <> 0" for name in self.sums)
        return (
            f"SELECT {', '.join(self.keys)}, {self.part}, {sums} "
            f"FROM ({counted} UNION ALL SELECT {known} FROM {self.table} WHERE {self.since[1]}) AS both_of_them "
            f"GROUP BY {', '.join(self.keys)} HAVING {differs}"
        )

    def repair(self, ending: str = "") -> str:
        """Adds what is missing and takes off what is too much; one statement, and so right whoever writes meanwhile."""
        return f"{self.into()} {self.comparison()}{ending}"


def _positions(names: Iterable[str]) -> str:
    return ", ".join(str(number) for number, _ in enumerate(names, 1))


def _tallies(*, step: str, took_ms: str, start: str, part: str) -> tuple[Tally, ...]:
    """What is counted; the databases differ only in how they keep time."""
    outcomes = {"ok": "IN ('ok', 'warn')", "failed": "IN ('fail')", "cancelled": "IN ('cancelled')"}
    return (
        Tally(
            table="source_tallies",
            of="sources",
            columns=("deleted_at", "is_implicit", "enabled"),
            keys={
                "is_deleted": "({0}.deleted_at IS NOT NULL)",
                "is_implicit": "{0}.is_implicit",
                "enabled": "{0}.enabled",
            },
            sums={"sources": "1"},
            part=part,
        ),
        Tally(
            table="job_tallies",
            of="crawl_jobs",
            columns=(
                *("state", "pause_reason", "deleted_at", "source_is_shown"),
                *("failure_count", "retry_count", "last_outcome"),
            ),
            keys={
                "state": "{0}.state",
                "pause_reason": "coalesce({0}.pause_reason, '')",
                "is_listed": "({0}.deleted_at IS NULL AND {0}.source_is_shown)",
                "has_failed": "({0}.failure_count > 0)",
                "is_retrying": "({0}.retry_count > 0)",
                "ended_badly": "(coalesce({0}.last_outcome, '') IN ('warn', 'fail'))",
            },
            sums={"jobs": "1"},
            part=part,
        ),
        Tally(
            table="run_tallies",
            of="crawl_runs",
            columns=(
                *("started_at", "finished_at", "outcome"),
                *("pages_fetched", "pages_unchanged", "records_inserted", "records_updated"),
            ),
            keys={"step": step},
            sums={
                "runs": "1",
                **{name: f"CASE WHEN {{0}}.outcome {which} THEN 1 ELSE 0 END" for name, which in outcomes.items()},
                "pages": "{0}.pages_fetched + {0}.pages_unchanged",
                "records": "{0}.records_inserted + {0}.records_updated",
                "took_ms": took_ms,
            },
            counts="{0}.finished_at IS NOT NULL",
            # What is forgotten of old steps is not counted below zero when their runs are forgotten too.
            leaves=f"{{0}}.finished_at IS NOT NULL AND {step} >= (SELECT min(step) FROM run_tallies)",
            since=(f"{{0}}.started_at >= {start}", "step >= :first"),
            part=part,
        ),
    )


#: of a source, what makes it one whose job is listed
_IS_SHOWN = "{0}.deleted_at IS NULL AND NOT {0}.is_implicit"
_IS_MISTAKEN = (
    "EXISTS (SELECT 1 FROM sources WHERE sources.id = crawl_jobs.source_id "
    f"AND ({_IS_SHOWN.format('sources')}) <> crawl_jobs.source_is_shown)"
)
#: jobs that say another thing of their source than it does, and what puts them right
MISTAKEN = f"SELECT id FROM crawl_jobs WHERE {_IS_MISTAKEN}"
CORRECTED = f"UPDATE crawl_jobs SET source_is_shown = NOT source_is_shown WHERE {_IS_MISTAKEN}"
#: the first step there can be: everything is counted
_EVER = (":first", "0")

# ── SQLite ───────────────────────────────────────────────────────────────────────────────────────────────────────────

SQLITE_TALLIES = _tallies(
    step=f"({{0}}.started_at / {STEP_SECONDS}000000)",
    took_ms="({0}.finished_at - {0}.started_at) / 1000",
    start=f"(:first * {STEP_SECONDS}000000)",
    part="0",
)


def added(tally: Tally) -> str:
    """Where SQLite finds a tally, it adds to it."""
    sums = ", ".join(f"{name} = {tally.table}.{name} + excluded.{name}" for name in tally.sums)
    return f" ON CONFLICT ({', '.join(tally.keys)}, part) DO UPDATE SET {sums}"


def _sqlite_triggers(tally: Tally) -> Iterable[str]:
    start, ending = tally.into(), added(tally)
    enter = f"{start} {tally.of_row('new', sign='')}{ending};"
    change = f"{start} {tally.of_row('old', sign='-')}{ending}; {enter}"
    leave = f"{start} {tally.of_row('old', sign='-', where=tally.leaves)}{ending};"
    name = f"CREATE TRIGGER {tally.table}"
    yield f"{name}_new AFTER INSERT ON {tally.of} WHEN {tally.counts.format('new')} BEGIN {enter} END"
    yield (
        f"{name}_changed AFTER UPDATE OF {', '.join(tally.columns)} ON {tally.of} "
        f"WHEN {tally.differs('IS NOT')} BEGIN {change} END"
    )
    yield f"{name}_gone AFTER DELETE ON {tally.of} WHEN {tally.counts.format('old')} BEGIN {leave} END"


SQLITE = (
    CORRECTED,
    "CREATE TRIGGER source_is_shown_new AFTER INSERT ON crawl_jobs "
    f"WHEN NOT (SELECT {_IS_SHOWN.format('sources')} FROM sources WHERE id = new.source_id) "
    "BEGIN UPDATE crawl_jobs SET source_is_shown = false WHERE id = new.id; END",
    "CREATE TRIGGER source_is_shown_changed AFTER UPDATE OF deleted_at, is_implicit ON sources "
    f"WHEN ({_IS_SHOWN.format('old')}) <> ({_IS_SHOWN.format('new')}) "
    f"BEGIN UPDATE crawl_jobs SET source_is_shown = ({_IS_SHOWN.format('new')}) WHERE source_id = new.id; END",
    *(trigger for tally in SQLITE_TALLIES for trigger in _sqlite_triggers(tally)),
    *(tally.repair(added(tally)).replace(*_EVER) for tally in SQLITE_TALLIES),
)

# ── PostgreSQL ───────────────────────────────────────────────────────────────────────────────────────────────────────

POSTGRESQL_TALLIES = _tallies(
    step=f"CAST(floor(extract(epoch FROM {{0}}.started_at) / {STEP_SECONDS}) AS integer)",
    took_ms="CAST(trunc(extract(epoch FROM {0}.finished_at - {0}.started_at) * 1000) AS bigint)",
    start=f"to_timestamp(CAST(:first AS integer) * {STEP_SECONDS}.0)",
    part="nextval('tally_parts')",
)


def fold(tally: Tally) -> str:
    """Adds what came since to part 0: readers see all of it in one place or the other, never in both."""
    keys, sums = ", ".join(tally.keys), ", ".join(f"sum({name})" for name in tally.sums)
    return (
        f"WITH gone AS (DELETE FROM {tally.table} WHERE part <> 0 RETURNING {keys}, {', '.join(tally.sums)}) "
        f"{tally.into()} SELECT {keys}, 0, {sums} FROM gone GROUP BY {keys} ORDER BY {keys}{added(tally)}"
    )


def _function(name: str, body: str, result: str = "NULL") -> str:
    return (
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {body}; RETURN {result}; END $$"
    )


def _postgresql_triggers(tally: Tally) -> Iterable[str]:
    """Once for a statement that adds or removes rows; for each that changes, if that changes what is counted."""
    name, start = tally.table, tally.into()
    change = f"{start} {tally.of_row('old', sign='-')} UNION ALL {tally.of_row('new', sign='')}"
    yield _function(f"{name}_new", f"{start} {tally.of_rows('those', sign='')}")
    # Asked in the function: what a trigger says after WHEN is parsed anew for every statement.
    yield _function(f"{name}_changed", f"IF {tally.differs('IS DISTINCT FROM')} THEN {change}; END IF")
    yield _function(f"{name}_gone", f"{start} {tally.of_rows('those', sign='-', where=tally.leaves)}")
    for moment, event, rows in (("new", "INSERT", "NEW"), ("gone", "DELETE", "OLD")):
        yield (
            f"CREATE OR REPLACE TRIGGER {name}_{moment} AFTER {event} ON {tally.of} REFERENCING {rows} TABLE AS those "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {name}_{moment}()"
        )
    yield (
        f"CREATE OR REPLACE TRIGGER {name}_changed AFTER UPDATE OF {', '.join(tally.columns)} ON {tally.of} "
        f"FOR EACH ROW EXECUTE FUNCTION {name}_changed()"
    )


POSTGRESQL = (
    "CREATE SEQUENCE IF NOT EXISTS tally_parts",
    # Goes when its table goes: a restore empties the database of tables and functions.
    "ALTER SEQUENCE tally_parts OWNED BY job_tallies.part",
    CORRECTED,
    _function(
        "source_is_shown_new",
        f"new.source_is_shown := coalesce((SELECT {_IS_SHOWN.format('sources')} FROM sources "
        "WHERE id = new.source_id), true)",
        "new",
    ),
    "CREATE OR REPLACE TRIGGER source_is_shown_new BEFORE INSERT ON crawl_jobs "
    "FOR EACH ROW EXECUTE FUNCTION source_is_shown_new()",
    _function(
        "source_is_shown_changed",
        f"UPDATE crawl_jobs SET source_is_shown = ({_IS_SHOWN.format('new')}) WHERE source_id = new.id",
    ),
    "CREATE OR REPLACE TRIGGER source_is_shown_changed AFTER UPDATE OF deleted_at, is_implicit ON sources "
    f"FOR EACH ROW WHEN (({_IS_SHOWN.format('old')}) <> ({_IS_SHOWN.format('new')})) "
    "EXECUTE FUNCTION source_is_shown_changed()",
    *(trigger for tally in POSTGRESQL_TALLIES for trigger in _postgresql_triggers(tally)),
    *(tally.repair().replace(*_EVER) for tally in POSTGRESQL_TALLIES),
)
