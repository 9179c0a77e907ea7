"""The full-text index of records in each database (see `record_text`): tables, triggers, and the first fill.

PostgreSQL's statements are safe to repeat, as the script of `db sql` is.
"""

from typing import Any

#: the columns that are searched, the highest weight first
SEARCHED = ("title", "organisation", "location_raw", "description")
_NAMES = ", ".join(SEARCHED)


def is_other_than_text(name: str | None, kind: str, _parents: Any) -> bool:
    """Whether a schema comparison includes this object: the full-text tables differ by database."""
    return kind != "table" or not (name or "").startswith("record_text")


# ── SQLite ───────────────────────────────────────────────────────────────────────────────────────────────────────────

_NEW, _OLD = (", ".join(f"{row}.{name}" for name in SEARCHED) for row in ("new", "old"))
_ENTER = f"INSERT INTO record_text (rowid, {_NAMES}) VALUES (new.id, {_NEW});"
#: an FTS5 table without its own copy of the text needs the old text to delete an entry
_LEAVE = f"INSERT INTO record_text (record_text, rowid, {_NAMES}) VALUES ('delete', old.id, {_OLD});"
_DIFFERS = " OR ".join(f"old.{name} IS NOT new.{name}" for name in SEARCHED)

SQLITE = (
    f"CREATE VIRTUAL TABLE record_text USING fts5({_NAMES}, content='records', content_rowid='id', "
    "tokenize='unicode61 remove_diacritics 2')",
    f"CREATE TRIGGER record_text_new AFTER INSERT ON records BEGIN {_ENTER} END",
    f"CREATE TRIGGER record_text_changed AFTER UPDATE OF {_NAMES} ON records WHEN {_DIFFERS} "
    f"BEGIN {_LEAVE} {_ENTER} END",
    f"CREATE TRIGGER record_text_gone AFTER DELETE ON records BEGIN {_LEAVE} END",
    "INSERT INTO record_text (record_text) VALUES ('rebuild')",
)

# ── PostgreSQL ───────────────────────────────────────────────────────────────────────────────────────────────────────

#: Characters that make its parser see addresses, paths and numbers instead of words, and that it takes for letters
#: where the database has no locale.
_BETWEEN_WORDS = "".join(
    (
        r"[!-/:-@\[-`{-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7",  # ASCII and Latin-1
        r"\u2000-\u206f\u20a0-\u20cf\u2116\u2117\u2120\u2122",  # dashes, quotes, bullets, currencies, marks
        r"\u2190-\u245f\u2500-\u2775\u2794-\u2bff\U0001f000-\U0001faff",  # arrows, boxes, pictures
        r"\u3000-\u3004\u3008-\u3020\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]",  # of the Far East
    )
)
#: As on SQLite: "é" is an "e", but "й" is not an "и".
_MARKS_ON_LATIN = r"([A-Za-z])[\u0300-\u036f]+"


def words_in(value: str) -> str:
    """PostgreSQL for the words of a text; ASCII, recognised by its length, has no marks to remove."""
    unmarked = rf"normalize(regexp_replace(normalize({value}, NFD), '{_MARKS_ON_LATIN}', '\1', 'g'), NFC)"
    said = f"CASE WHEN octet_length({value}) = char_length({value}) THEN {value} ELSE {unmarked} END"
    return f"regexp_replace({said}, '{_BETWEEN_WORDS}', ' ', 'g')"


def _lexemes(row: str) -> str:
    """SQL for the lexemes of a record, each with the weight of its column.

    A lexeme that no search can contain separates two columns, so that no phrase spans both.
    """
    return " || '_:1'::tsvector || ".join(
        f"setweight(to_tsvector('simple', coalesce({words_in(f'{row}.{name}')}, '')), '{weight}')"
        for name, weight in zip(SEARCHED, "ABCD", strict=True)
    )


_CHANGED = " OR ".join(f"old.{name} IS DISTINCT FROM new.{name}" for name in SEARCHED)
_TRIGGER = "CREATE OR REPLACE TRIGGER record_text_{} ON records FOR EACH ROW {}EXECUTE FUNCTION record_text_{}()"
_FUNCTION = (
    "CREATE OR REPLACE FUNCTION record_text_{}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {}; RETURN NULL; END $$"
)

POSTGRESQL = (
    # Room on each page to rewrite a record in place when it is seen again, without an update of any index.
    "ALTER TABLE records SET (fillfactor = 70)",
    # Not in `records`, whose rows are rewritten whenever they are seen again: an index of all their words would
    # have to be updated each time.
    "CREATE TABLE IF NOT EXISTS record_text (id bigint PRIMARY KEY, lexemes tsvector NOT NULL)",
    "CREATE INDEX IF NOT EXISTS ix_record_text ON record_text USING gin (lexemes)",
    _FUNCTION.format(
        "enter",
        f"INSERT INTO record_text VALUES (new.id, {_lexemes('new')}) "
        "ON CONFLICT (id) DO UPDATE SET lexemes = excluded.lexemes",
    ),
    _FUNCTION.format("leave", "DELETE FROM record_text WHERE id = old.id"),
    _TRIGGER.format("new AFTER INSERT", "", "enter"),
    _TRIGGER.format(f"changed AFTER UPDATE OF {_NAMES}", f"WHEN ({_CHANGED}) ", "enter"),
    _TRIGGER.format("gone AFTER DELETE", "", "leave"),
    f"INSERT INTO record_text SELECT id, {_lexemes('records')} FROM records ON CONFLICT DO NOTHING",
)
