"""Where do the peers' packages live? In a git-ignored virtual environment, made on demand and never mixed with ours."""

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Final

_REQUIREMENTS: Final = Path(__file__).parents[1] / "peers" / "requirements.txt"


def python_of_peers(workspace: Path) -> str:
    """The interpreter with the pinned peers installed; made anew when the pins have changed."""
    folder = workspace / "venv"
    python = folder / "bin" / "python"
    stamp = folder / "requirements.sha256"
    digest = hashlib.sha256(_REQUIREMENTS.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == digest:
        return str(python)

    stamp.unlink(missing_ok=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", _REQUIREMENTS], check=True
    )
    stamp.write_text(digest)
    return str(python)
