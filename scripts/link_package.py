"""Makes this checkout importable in its .venv and its console scripts callable.

An editable install would do the same, but its build backend would be fetched without a hash.
"""

import sys
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The shell starts Python, because a path with spaces or of more than 127 bytes cannot stand behind "#!".
CONSOLE_SCRIPT = """#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
import sys

from {module} import {function}

sys.exit({function}())
"""


def main() -> None:
    """Writes the path file and one program per entry of [project.scripts]."""
    Path(sysconfig.get_path("purelib"), "lamplighter.pth").write_text(f"{ROOT / 'src'}\n")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name, target in project["scripts"].items():
        module, function = target.split(":")
        program = Path(sysconfig.get_path("scripts"), name)
        program.write_text(CONSOLE_SCRIPT.format(python=sys.executable, module=module, function=function))
        program.chmod(0o755)


main()
