"""Is the floor plan kept? Every finding is one sentence with its place; `check_repository.py` prints them.

The limits keep a newcomer able to find a line by folder and name. Test files may be as long as their subject needs.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src" / "lamplighter"
MIGRATIONS = SRC / "store" / "migrations"

MOST_MODULES = 25
MOST_PARAMETERS = 10
MOST_FUNCTION_LINES = 60
MOST_MODULE_LINES = 400
MOST_README_LINES = 140
README_COMMANDS = ("make run", "make test")

MOST_EXCEPTIONS = 5
#: finding -> why it is allowed
EXCEPTIONS: dict[str, str] = {}


def crowded_folders() -> Iterator[str]:
    """Folders that hold too many modules; every change of the schema adds one to the migrations."""
    for top in ("src", "tests", "benchmarks", "scripts"):
        for folder in [ROOT / top, *(path for path in (ROOT / top).rglob("*") if path.is_dir())]:
            count = sum(path.name != "__init__.py" for path in folder.glob("*.py"))
            if count > MOST_MODULES and MIGRATIONS not in folder.parents:
                yield f"{folder.relative_to(ROOT)}: {count} modules; {MOST_MODULES} are the most"


def repeated_classes(trees: dict[Path, ast.Module]) -> Iterator[str]:
    """Public class names that two modules define."""
    places = defaultdict(list)
    for path, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    for name, paths in sorted(places.items()):
        if len(paths) > 1:
            yield f"class {name} is defined in {' and '.join(sorted(paths))}"


def oversized(path: Path, tree: ast.Module, text: str) -> Iterator[str]:
    """Modules, functions and constructors that are too long."""
    place = path.relative_to(ROOT)
    if (lines := text.count("\n")) > MOST_MODULE_LINES:
        yield f"{place}: {lines} lines; {MOST_MODULE_LINES} are the most"
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if (length := (node.end_lineno or node.lineno) - node.lineno + 1) > MOST_FUNCTION_LINES:
            yield f"{place}:{node.lineno}: {node.name} has {length} lines; {MOST_FUNCTION_LINES} are the most"
        arguments = node.args
        count = len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs) - 1
        if node.name == "__init__" and count > MOST_PARAMETERS:
            yield f"{place}:{node.lineno}: a constructor with {count} parameters; {MOST_PARAMETERS} are the most"


def silent_packages() -> Iterator[str]:
    """Packages whose docstring does not say which question their modules answer."""
    for path in SRC.rglob("__init__.py"):
        if not (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").strip():
            yield f"{path.relative_to(ROOT)}: no sentence about the package"


def unhelpful_readme() -> Iterator[str]:
    """A README that is too long, or without the commands that a newcomer pastes."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    if (lines := text.count("\n")) > MOST_README_LINES:
        yield f"README.md: {lines} lines; {MOST_README_LINES} are the most"
    for command in README_COMMANDS:
        if not re.search(rf"^{command}$", text, re.MULTILINE):
            yield f"README.md: does not show `{command}`"


def findings() -> Iterator[str]:
    """Everything that breaks the floor plan, without the exceptions."""
    yield from (finding for finding in _all_findings() if finding not in EXCEPTIONS)
    if len(EXCEPTIONS) > MOST_EXCEPTIONS:
        yield f"{len(EXCEPTIONS)} exceptions; {MOST_EXCEPTIONS} are the most"


def _all_findings() -> Iterator[str]:
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SRC.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in texts.items() if MIGRATIONS not in path.parents}
    yield from crowded_folders()
    yield from repeated_classes(trees)
    for path, tree in trees.items():
        yield from oversized(path, tree, texts[path])
    yield from silent_packages()
    yield from unhelpful_readme()
