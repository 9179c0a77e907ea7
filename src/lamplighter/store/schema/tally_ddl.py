"""Triggers that keep the tallies up to date, in the transaction that changes the counted rows.

Each depends only on the row that changes, so that concurrent changes of different rows are both counted correctly.
PostgreSQL's statements are safe to repeat, as the script of `db sql` is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

#: length of a step in `run_tallies`
STEP_SECONDS = 300
#: by which jobs are counted
JOB_FACTS = {
    "state": "{0}.state",
    "pause_reason": "coalesce({0}.pause_reason, '')",
    "is_shown": "{0}.source_is_shown",
    "is_deleted": "({0}.deleted_at IS NOT NULL)",
    "has_failed": "({0}.failure_count > 0)",
    "is_retrying": "({0}.retry_count > 0)",
    "is_held": "({0}.held_since IS NOT NULL)",
    "last_outcome": "coalesce({0}.last_outcome, '')",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyDefinition:
    """What a table of tallies counts; `{0}` is the name of a counted row."""

    table: str
    of: str
    #: the columns whose change may change a tally
    columns: tuple[str, ...]
    #: the columns to group by
    keys: Mapping[str, str]
    #: the sums
    sums: Mapping[str, str]
    #: which rows count
    counts: str = "true"
    #: which rows are subtracted when they are deleted: those that are still counted
    leaves: str = "true"
    #: start of a comparison: in the counted table, and in the tally
    since: tuple[str, str] = ("true", "true")
    #: the part to which a change is added
    part: str

    def into(self) -> str:
        """The INSERT of a change."""
        return f"INSERT INTO {self.table} ({', '.join(self.keys)}, part, {', '.join(self.sums)})"

    def of_row(self, row: str, *, sign: str, where: str = "") -> str:
        """SELECT of what a row adds."""
        sums = (f"{sign}({each})" for each in self.sums.values())
        values = ", ".join((*self.keys.values(), self.part, *sums))
        return f"SELECT {values} WHERE {where or self.counts}".format(row)

    def of_rows(self, rows: str, *, sign: str, where: str = "") -> str:
        """SELECT of what many rows add."""
        sums = (f"{sign}sum({each})" for each in self.sums.values())
        values = ", ".join((*self.keys.values(), self.part, *sums))
        those = f"SELECT {values} FROM {rows} AS one WHERE {where or self.counts}".format("one")
        return f"{those} GROUP BY {_positions(self.keys)}"

    def differs(self, operator: str) -> str:
        """Whether a row now adds something else."""
        values = (*self.keys.values(), *self.sums.values(), self.counts)
        changed = (f"({value.format('old')}) {operator} ({value.format('new')})" for value in values if "{0}" in value)
        counted = " OR ".join(f"({self.counts.format(row)})" for row in ("old", "new"))
        return f"({counted}) AND ({' OR '.join(changed)})"

    def comparison(self) -> str:
        """SELECT of where a fresh count differs from the tally."""
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
        """Corrects the tally by its differences; one statement, and so correct during concurrent writes."""
        return f"{self.into()} {self.comparison()}{ending}"


def _positions(names: Iterable[str]) -> str:
    return ", ".join(str(number) for number, _ in enumerate(names, 1))


def _tallies(*, step: str, took_ms: str, start: str, part: str) -> tuple[TallyDefinition, ...]:
    """All tallies; the databases differ only in how they store times."""
    outcomes = {"ok": "IN ('ok', 'warn')", "failed": "IN ('fail')", "cancelled": "IN ('cancelled')"}
    return (
        TallyDefinition(
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
        TallyDefinition(
            table="job_tallies",
            of="crawl_jobs",
            columns=(
                *("state", "pause_reason", "deleted_at", "source_is_shown"),
                *("failure_count", "retry_count", "held_since", "last_outcome"),
            ),
            keys=JOB_FACTS,
            sums={"jobs": "1"},
            part=part,
        ),
        TallyDefinition(
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
            # Old steps are deleted before their runs: deleting those runs must not count below zero.
            leaves=f"{{0}}.finished_at IS NOT NULL AND {step} >= (SELECT min(step) FROM run_tallies)",
            since=(f"{{0}}.started_at >= {start}", "step >= :first"),
            part=part,
        ),
    )


#: whether a source's job is listed
_IS_SHOWN = "{0}.deleted_at IS NULL AND NOT {0}.is_implicit"
_IS_MISTAKEN = (
    "EXISTS (SELECT 1 FROM sources WHERE sources.id = crawl_jobs.source_id "
    f"AND ({_IS_SHOWN.format('sources')}) <> crawl_jobs.source_is_shown)"
)
#: jobs whose `source_is_shown` is wrong, and the statement that corrects them
MISTAKEN = f"SELECT id FROM crawl_jobs WHERE {_IS_MISTAKEN}"
CORRECTED = f"UPDATE crawl_jobs SET source_is_shown = NOT source_is_shown WHERE {_IS_MISTAKEN}"
#: the first possible step: everything is counted
_EVER = (":first", "0")

# ── SQLite ───────────────────────────────────────────────────────────────────────────────────────────────────────────

SQLITE_TALLIES = _tallies(
    step=f"({{0}}.started_at / {STEP_SECONDS}000000)",
    took_ms="({0}.finished_at - {0}.started_at) / 1000",
    start=f"(:first * {STEP_SECONDS}000000)",
    part="0",
)


def added(tally: TallyDefinition) -> str:
    """The clause that adds to an existing row."""
    sums = ", ".join(f"{name} = {tally.table}.{name} + excluded.{name}" for name in tally.sums)
    return f" ON CONFLICT ({', '.join(tally.keys)}, part) DO UPDATE SET {sums}"


def _sqlite_triggers(tally: TallyDefinition) -> Iterable[str]:
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


#: the names of all triggers below
TRIGGERS = (
    *("source_is_shown_new", "source_is_shown_changed"),
    *(f"{tally.table}_{moment}" for tally in SQLITE_TALLIES for moment in ("new", "changed", "gone")),
)
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


def fold(tally: TallyDefinition) -> str:
    """Moves all other parts into part 0: readers see each change in one of the two, never in both."""
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


def _postgresql_triggers(tally: TallyDefinition) -> Iterable[str]:
    """Triggers once per statement that inserts or deletes rows, and for each row that an update changes."""
    name, start = tally.table, tally.into()
    change = f"{start} {tally.of_row('old', sign='-')} UNION ALL {tally.of_row('new', sign='')}"
    yield _function(f"{name}_new", f"{start} {tally.of_rows('those', sign='')}")
    # Checked in the function: a trigger's WHEN condition is parsed again for every statement.
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
    # Dropped with its table: a restore drops tables and functions only.
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
