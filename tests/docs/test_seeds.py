"""Everything that `docs/seeds.md` names is there: paths, pages, variables, metrics, tables, commands, alerts, codes."""

import importlib.util
import re
from collections.abc import Iterator

import pytest
from fastapi.routing import APIRoute
from pydantic import AliasChoices

from lamplighter.rules.alerts.alerts import RULES
from lamplighter.settings import Settings
from lamplighter.store.schema.tables import metadata
from lamplighter.web.api.description import describe, operations
from lamplighter.web.dashboard.table import DASHBOARD
from lamplighter.web.server import assembled
from tests.repository import ROOT
from tests.web.promised_paths import PROMISED

PAGE = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
PATHS = {f"{method.upper()} {path}" for path, method, _ in operations(describe(assembled()))}
COMMANDS = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
CODE = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src" / "lamplighter").rglob("*.py"))
METRICS = (ROOT / "src" / "lamplighter" / "metrics.py").read_text(encoding="utf-8")
OF_OTHERS = ("AIDJOBS_", "AUTH_", "AUTO_", "CRAWLER_", "FETCHER_", "REDIS_")
SPANS = sorted(set(re.findall(r"`([^`]+)`", PAGE)))
#: how a name of each sort looks
SORTS = {
    "path": re.compile(r"(?:GET|POST|PUT|PATCH|DELETE) /\S+"),
    "page": re.compile(r"/\S*"),
    "variable": re.compile(rf"(?:LAMPLIGHTER_|{'|'.join(OF_OTHERS)})[A-Z_]+"),
    "metric": re.compile(r"crawler_\w+"),
    "command": re.compile(r"lamplighter \S.*"),
    "alert": re.compile(r"(?:[A-Z][a-z]+){2,}"),
    "code": re.compile(r"[A-Z]+_[A-Z_]+"),
    "file": re.compile(r"deploy/\S+"),
    "column": re.compile(r"\w+\.\w+"),
    "table": re.compile(r"[a-z_]+"),
}


def _sort_of(span: str) -> str:
    return next((sort for sort, form in SORTS.items() if form.fullmatch(span)), "unknown")


def _named(sort: str) -> list[str]:
    return [span for span in SPANS if _sort_of(span) == sort]


def _plain(path: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", path)


def _variables() -> Iterator[str]:
    for field in Settings.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            yield from map(str, field.validation_alias.choices)


def test_every_name_on_the_page_is_of_a_sort_that_is_checked() -> None:
    assert _named("unknown") == []


@pytest.mark.parametrize("span", _named("path"))
def test_a_named_path_is_described(span: str) -> None:
    assert _plain(span) in set(map(_plain, PATHS))


@pytest.mark.parametrize("span", _named("page"))
def test_a_named_page_or_family_of_paths_is_served(span: str) -> None:
    pages = {route.path for part in DASHBOARD for route in part.router.routes if isinstance(route, APIRoute)}
    served = {_plain(path) for path in (*pages, *(each.split()[1] for each in PATHS))}

    assert [path for path in served if path == _plain(span) or path.startswith(_plain(span).rstrip("/") + "/")]


@pytest.mark.parametrize("span", _named("variable"))
def test_a_named_variable_is_read_or_said_to_have_no_effect(span: str) -> None:
    if span in set(_variables()):
        return
    if importlib.util.find_spec("lamplighter.seed_variables") is None:
        pytest.skip("the variables without effect are not listed in the program yet")
    assert f'"{span}"' in CODE


@pytest.mark.parametrize("span", _named("metric"))
def test_a_named_metric_is_measured(span: str) -> None:
    assert f'"{span}"' in METRICS


@pytest.mark.parametrize("span", _named("table"))
def test_a_named_table_is_in_the_schema(span: str) -> None:
    assert span in metadata.tables


@pytest.mark.parametrize("span", _named("column"))
def test_a_named_column_is_in_its_table(span: str) -> None:
    table, _, column = span.partition(".")

    assert column in metadata.tables[table].columns


@pytest.mark.parametrize("span", _named("command"))
def test_a_named_command_is_in_the_reference(span: str) -> None:
    assert f"\n## {span}\n" in COMMANDS


@pytest.mark.parametrize("span", _named("alert"))
def test_a_named_alert_has_a_rule(span: str) -> None:
    assert span in {rule.name for rule in RULES}


@pytest.mark.parametrize("span", _named("code"))
def test_a_named_code_or_event_is_used(span: str) -> None:
    assert f'"{span}"' in CODE or f'"{span.lower()}"' in CODE


@pytest.mark.parametrize("span", _named("file"))
def test_a_named_file_is_there(span: str) -> None:
    assert (ROOT / span).exists()


def test_every_line_says_where_it_is_and_how_it_differs() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| **")]
    bare = [line for line in lines if any(not cell.strip() for cell in line.strip("|").split("|"))]

    assert bare == []


def test_every_path_that_programs_rely_on_is_on_the_page() -> None:
    ours = {_plain(span) for span in _named("path")} | {_plain(span) for span in _named("page")}
    families = [("GET", "/openapi.json"), ("GET", "/docs")]
    missing = sorted(
        each for each in PROMISED if each not in ours and tuple(each.split()) not in families and not _is_alias(each)
    )

    assert missing == []


def _is_alias(path: str) -> bool:
    return path.startswith(("GET /api/crawler/", "GET /api/health/", "GET /api/metrics/"))
