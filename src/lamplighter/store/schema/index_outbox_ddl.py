"""Triggers that enter records into the index outbox, in the transaction that changes them.

Triggers, because a record is deleted in many ways (removed, purged, deleted with its source), and code that forgets
the outbox would leave it in the index for ever. They do nothing while the switch (`index_state.is_on`) is off.
PostgreSQL's statements are safe to repeat, as the script of `db sql` is.
"""

#: the columns of a record that the search server gets
TOLD = (
    *("title", "organisation", "location_raw", "description", "kind", "url", "source_id", "country_iso", "language"),
    *("deadline", "published_at", "tags", "fields", "price", "gone_at", "revision"),
)
#: and of its source
TOLD_OF_SOURCE = ("name", "deleted_at")

#: a change resets a delivery that is in progress or was given up
_AFRESH = (
    "ON CONFLICT (record_id) DO UPDATE SET revision = index_outbox.revision + 1, "
    "ticket = NULL, try_count = 0, due_at = NULL, parked_at = NULL, detail = NULL"
)
_ENTER = "INSERT INTO index_outbox (record_id, entered_at) "


def _differs(names: tuple[str, ...], operator: str) -> str:
    return " OR ".join(f"old.{name} {operator} new.{name}" for name in names)


# ── SQLite ───────────────────────────────────────────────────────────────────────────────────────────────────────────

_MICROSECONDS = "CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)"
_IS_ON = "(SELECT is_on FROM index_state)"


def _sqlite_trigger(name: str, moment: str, entered: str, *, when: str = "") -> str:
    condition = f"{_IS_ON} AND ({when})" if when else _IS_ON
    return f"CREATE TRIGGER index_outbox_{name} {moment} WHEN {condition} BEGIN {_ENTER}{entered} {_AFRESH}; END"


SQLITE = (
    _sqlite_trigger("new", "AFTER INSERT ON records", f"VALUES (new.id, {_MICROSECONDS})"),
    _sqlite_trigger(
        "changed",
        f"AFTER UPDATE OF {', '.join(TOLD)} ON records",
        f"VALUES (new.id, {_MICROSECONDS})",
        when=_differs(TOLD, "IS NOT"),
    ),
    _sqlite_trigger("gone", "AFTER DELETE ON records", f"VALUES (old.id, {_MICROSECONDS})"),
    _sqlite_trigger(
        "source",
        f"AFTER UPDATE OF {', '.join(TOLD_OF_SOURCE)} ON sources",
        f"SELECT id, {_MICROSECONDS} FROM records WHERE source_id = new.id",
        when=_differs(TOLD_OF_SOURCE, "IS NOT"),
    ),
    "INSERT INTO index_state (id) VALUES (1)",
)

# ── PostgreSQL ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _function(name: str, entered: str) -> str:
    body = f"IF (SELECT is_on FROM index_state) THEN {_ENTER}{entered} {_AFRESH}; END IF; RETURN NULL;"
    return (
        f"CREATE OR REPLACE FUNCTION index_outbox_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$"
    )


def _for_each(name: str, moment: str, function: str, *, when: str) -> str:
    return (
        f"CREATE OR REPLACE TRIGGER index_outbox_{name} {moment} FOR EACH ROW WHEN ({when}) "
        f"EXECUTE FUNCTION index_outbox_{function}()"
    )


def _for_all(name: str, moment: str, rows: str, function: str) -> str:
    """Once per statement, for any number of rows: a call per row costs a tenth of storing a record."""
    return (
        f"CREATE OR REPLACE TRIGGER index_outbox_{name} {moment} REFERENCING {rows} TABLE AS those "
        f"FOR EACH STATEMENT EXECUTE FUNCTION index_outbox_{function}()"
    )


POSTGRESQL = (
    _function("enter", "VALUES (new.id, clock_timestamp())"),
    _function("enter_those", "SELECT id, clock_timestamp() FROM those"),
    _function("enter_of_source", "SELECT id, clock_timestamp() FROM records WHERE source_id = new.id ORDER BY id"),
    _for_all("new", "AFTER INSERT ON records", "NEW", "enter_those"),
    _for_each(
        "changed", f"AFTER UPDATE OF {', '.join(TOLD)} ON records", "enter", when=_differs(TOLD, "IS DISTINCT FROM")
    ),
    _for_all("gone", "AFTER DELETE ON records", "OLD", "enter_those"),
    _for_each(
        "source",
        f"AFTER UPDATE OF {', '.join(TOLD_OF_SOURCE)} ON sources",
        "enter_of_source",
        when=_differs(TOLD_OF_SOURCE, "IS DISTINCT FROM"),
    ),
    "INSERT INTO index_state (id) VALUES (1) ON CONFLICT DO NOTHING",
)
#: An older schema has a table of this name that was never written to.
SUPERSEDED = (
    "DO $$ BEGIN IF EXISTS (SELECT FROM information_schema.columns WHERE table_schema = current_schema() "
    "AND table_name = 'index_outbox' AND column_name = 'action') THEN DROP TABLE index_outbox; END IF; END $$"
)
