"""What stands in the documentation, block by block, and what is said about running it.

HTML comments above a block, which readers do not see, say how it is run here:

- `<!-- not run: it needs a Docker engine -->`: it is only read;
- `<!-- run with: URL = http://127.0.0.1:8061/jobs -->`: what stands in place of its words, several each on a line.

Anywhere in a page, `<!-- the demo was read -->`: its commands find the data of a demo that ran for a minute, and
`<!-- the demo is running -->`: they also find its service at work.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tests.repository import ROOT

PAGES = tuple(
    str(path.relative_to(ROOT))
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
)
SHELL = frozenset({"sh", "bash", "console"})

_BLOCK = re.compile(
    r"(?P<notes>(?:^[ ]*<!--(?:(?!-->).)*-->\n)*)^(?P<indent>[ ]*)```(?P<language>[\w-]*)(?P<more>[^\n`]*)\n"
    r"(?P<text>.*?)^[ ]*```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
_NOTE = re.compile(r"<!--\s*(not run|run with):\s*(.*?)\s*-->", re.DOTALL)
_READ = "<!-- the demo was read -->"
_RUNNING = "<!-- the demo is running -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block."""

    #: docs/backup.md:29
    place: str
    language: str
    #: what follows the language: "recipe" in "json recipe"
    role: str
    text: str
    #: why it cannot run here; None when it can
    not_run: str | None
    #: words, and what stands in their place when it runs
    replacing: Mapping[str, str]

    @property
    def is_shell(self) -> bool:
        """Would a reader paste it into a terminal?"""
        return self.language in SHELL

    @property
    def script(self) -> str:
        """Its commands, with the words in place that a reader would put there."""
        text = self.text if self.language != "console" else _typed(self.text)
        for words, instead in self.replacing.items():
            found = re.compile(rf"(?<![\w-]){re.escape(words)}(?![\w-])")
            if not found.search(text):
                raise ValueError(f"{self.place}: there is no {words!r} to be replaced")
            text = found.sub(lambda _, instead=instead: instead, text)
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of the documentation."""

    name: str
    text: str
    blocks: tuple[Block, ...]

    @property
    def wants_service(self) -> bool:
        """Do its commands speak to a service that runs?"""
        return _RUNNING in self.text

    @property
    def wants_demo(self) -> bool:
        """Do its commands look at what the demo's sites gave?"""
        return self.wants_service or _READ in self.text

    @property
    def wants_postgres(self) -> bool:
        """Do its commands stand on PostgreSQL?"""
        return any("postgresql+asyncpg://" in block.text for block in self.runs)

    @property
    def runs(self) -> tuple[Block, ...]:
        """What is run, in the order of the page."""
        return tuple(block for block in self.blocks if block.is_shell and block.not_run is None)


def read(name: str) -> Page:
    """The page at this path of the repository."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return Page(name=name, text=text, blocks=tuple(_block(name, text, found) for found in _BLOCK.finditer(text)))


def _block(name: str, text: str, found: re.Match[str]) -> Block:
    not_run = None
    replacing: dict[str, str] = {}
    for kind, said in _NOTE.findall(found["notes"]):
        if kind == "not run":
            not_run = said
        else:
            replacing |= dict(_pair(line) for line in said.splitlines())
    line = text.count("\n", 0, found.start("language")) + 1
    return Block(
        place=f"{name}:{line}",
        language=found["language"],
        role=found["more"].strip(),
        text=re.sub(rf"^{found['indent']}", "", found["text"], flags=re.MULTILINE),
        not_run=not_run,
        replacing=replacing,
    )


def _pair(line: str) -> tuple[str, str]:
    words, _, instead = line.partition(" = ")
    return words.strip(), instead.strip()


def _typed(session: str) -> str:
    """What a person typed in a terminal, without what it answered."""
    return "".join(line.removeprefix("$ ") for line in session.splitlines(keepends=True) if line.startswith("$ "))
