"""What is not run is at least right: shell, commands, JSON, YAML, recipes, Python and PromQL."""

import configparser
import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.metrics import DECLARED
from tests.docs.command_line import commands_in, complaint_about
from tests.docs.pages import PAGES, SHELL, Block, Page, read
from tests.repository import ROOT

READ = [read(name) for name in PAGES]
#: whatever is not one of these would be neither run nor read
LANGUAGES = {
    "sh",
    "bash",
    "console",
    "text",
    "json",
    "yaml",
    "toml",
    "ini",
    "html",
    "python",
    "promql",
    "mermaid",
    "nginx",
}
#: a `lamplighter sources add URL` in the midst of a sentence
SPAN = re.compile(r"`((?:\.venv/bin/)?lamplighter [^`\n]+)`")
ADDRESS = re.compile(r"http://127\.0\.0\.1:[^\s'\"]+")
MAKE = re.compile(r"(?:^|`|&& *)make ([a-z]+)", re.MULTILINE)
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def blocks(*languages: str) -> list[Block]:
    """All blocks in these languages that speak for themselves: those with a role belong to a test of their page."""
    return [block for page in READ for block in page.blocks if block.language in languages and not block.role]


def place(case: object) -> str:
    """What a test is called after."""
    return case.place if isinstance(case, Block) else str(getattr(case, "name", case))


@pytest.mark.parametrize("page", READ, ids=place)
def test_every_block_says_what_it_is(page: Page) -> None:
    assert [block.place for block in page.blocks if block.language not in LANGUAGES] == []


def test_no_command_hides_in_a_block_that_is_not_run() -> None:
    hiding = [block.place for block in blocks("text", "ini") if re.search(r"^\s*\$? ?lamplighter ", block.text, re.M)]

    assert hiding == []


@pytest.mark.parametrize("block", [block for block in blocks(*SHELL) if block.replacing], ids=place)
def test_what_stands_in_place_of_words_hides_nothing_that_a_reader_would_have_to_do(block: Block) -> None:
    for words, instead in block.replacing.items():
        first, _, _ = instead.partition("; ")

        assert set(ADDRESS.findall(words)) <= set(ADDRESS.findall(instead)), "another address is asked than is told"
        assert first in (instead, "ctrl-c"), "another command is run than is told"


@pytest.mark.parametrize("block", [block for block in blocks(*SHELL) if block.not_run], ids=place)
def test_a_shell_block_that_is_not_run_can_be_read_by_the_shell(block: Block) -> None:
    done = subprocess.run(["bash", "-n"], input=block.script, capture_output=True, text=True, timeout=10)

    assert done.stderr == ""


def test_every_command_is_one_of_ours_with_options_that_it_has() -> None:
    told = [(block.place, words) for block in blocks(*SHELL) for words in commands_in(block.text)]
    # In a sentence brackets say that a part may be left out.
    spans = [(page.name, re.sub(r"[\[\]]|…", "", span)) for page in READ for span in SPAN.findall(page.text)]
    told += [(name, words) for name, span in spans for words in commands_in(span)]

    complaints = {f"{where}: lamplighter {' '.join(words)}": complaint_about(words) for where, words in told}

    assert len(told) > 200
    assert {told: complaint for told, complaint in complaints.items() if complaint} == {}


def test_every_target_of_make_exists() -> None:
    asked = {(page.name, target) for page in READ for target in MAKE.findall(page.text)}

    assert {(name, target) for name, target in asked if target not in TARGETS} == set()


@pytest.mark.parametrize("block", blocks("json", "yaml", "toml", "ini"), ids=place)
def test_what_a_machine_would_read_can_be_read(block: Block) -> None:
    match block.language:
        case "json":
            json.loads(block.text)
        case "yaml":
            yaml.safe_load(block.text)
        case "toml":
            tomllib.loads(block.text)
        case "ini":
            configparser.ConfigParser(interpolation=None).read_string(f"[settings]\n{block.text}")


def test_a_recipe_in_a_how_to_is_one() -> None:
    (block,) = [block for block in blocks("sh") if "vacancies.json <<" in block.text]
    recipe = block.text.partition("\n")[2].rpartition("END")[0]

    assert parse_recipe(json.loads(recipe)).fields


@pytest.mark.parametrize("block", blocks("python"), ids=place)
def test_a_snippet_of_python_runs(block: Block) -> None:
    exec(compile(block.text, block.place, "exec"), {})


def test_queries_of_prometheus_are_such_and_ask_for_metrics_that_we_have(tmp_path: Path) -> None:
    queries = [block.text for block in blocks("promql")]
    names = {name for metric in DECLARED for name in (metric.name, f"{metric.name}_bucket")}
    rules = [{"record": f"documented:{number}", "expr": query} for number, query in enumerate(queries)]
    rule_file = tmp_path / "rules.yml"
    rule_file.write_text(yaml.safe_dump({"groups": [{"name": "documented", "rules": rules}]}))

    asked = {name for query in queries for name in re.findall(r"crawler_\w+", query)}

    assert asked
    assert asked - names == set()
    if promtool := shutil.which("promtool"):
        done = subprocess.run([promtool, "check", "rules", rule_file], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
