"""SQL about full-text search of records; each database has its own kind of text table.

`record_text` is an FTS5 table on SQLite, without any text of its own, and a table of lexemes on PostgreSQL. Triggers
update it in the transaction of the change, and only when a text changes: seeing a record again costs nothing.
Both ignore the case of words and the accents of Latin letters.
"""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from lamplighter.model.record_search import Term, TextQuery

#: not in `tables`, because each database has another kind of table
NAME = "record_text"
#: the weights of matches in `record_text_ddl.SEARCHED`; PostgreSQL's own weights are 1, 0.4, 0.2 and 0.1
_WEIGHTS = (10.0, 4.0, 2.0, 1.0)

_FTS = sa.table(NAME, sa.column("rowid", sa.Integer), sa.column(NAME))
_LEXEMES = sa.table(NAME, sa.column("id", sa.BigInteger), sa.column("lexemes"))


def ids_with(dialect: str, terms: Iterable[Term], *, any_of_them: bool = False) -> sa.Select[tuple[int]]:
    """Selects the ids of the records that have all of these terms, or any of them."""
    if dialect == "sqlite":
        return sa.select(_FTS.c.rowid.label("id")).where(_matches(_fts5(terms, any_of_them=any_of_them)))
    query = sa.func.to_tsquery("simple", _tsquery(terms, any_of_them=any_of_them))
    return sa.select(_LEXEMES.c.id).where(_LEXEMES.c.lexemes.op("@@")(query))


def scores_of(dialect: str, query: TextQuery, ids: Any) -> sa.Select[tuple[int, float]]:
    """Selects the score of each of these records, the greater the better."""
    if dialect == "sqlite":
        score: Any = -sa.func.bm25(sa.literal_column(NAME), *_WEIGHTS)
        # The plus keeps SQLite from searching the index again for each record.
        is_one = sa.literal_column(f"+{NAME}.rowid", sa.Integer).in_(ids)
        found = _matches(_fts5(query.wanted))
        return sa.select(_FTS.c.rowid.label("id"), score.label("score")).where(found, is_one)
    score = sa.func.ts_rank(_LEXEMES.c.lexemes, sa.func.to_tsquery("simple", _tsquery(query.wanted)))
    return sa.select(_LEXEMES.c.id, score.label("score")).where(_LEXEMES.c.id.in_(ids))


def _matches(expression: str) -> sa.ColumnElement[bool]:
    return _FTS.c[NAME].op("MATCH", is_comparison=True)(expression)


def _fts5(terms: Iterable[Term], *, any_of_them: bool = False) -> str:
    """An FTS5 expression; words contain no quotes."""
    said = (f'"{" ".join(term.words)}"{" *" if term.is_prefix else ""}' for term in terms)
    return (" OR " if any_of_them else " AND ").join(said)


def _tsquery(terms: Iterable[Term], *, any_of_them: bool = False) -> str:
    """A tsquery; words contain no quotes."""
    return (" | " if any_of_them else " & ").join(_phrase(term) for term in terms)


def _phrase(term: Term) -> str:
    *first, last = term.words
    parts = [_spelt(word) for word in first] + [_spelt(last, ":*" if term.is_prefix else "")]
    return f"({' <-> '.join(parts)})"


def _spelt(word: str, mark: str = "") -> str:
    """The word in its likely cases: without a locale PostgreSQL folds only ASCII."""
    cases = [word] if word.isascii() else list(dict.fromkeys((word, word.capitalize(), word.upper())))
    return "(" + " | ".join(f"'{case}'{mark}" for case in cases) + ")"
