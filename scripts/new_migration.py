"""Writes the next migration from the difference between the tables and an empty, migrated SQLite database.

Usage: python scripts/new_migration.py "What is now true of the schema"
"""

import asyncio
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from lamplighter.store.engine.database import Database
from lamplighter.store.schema import migrate

VERSIONS = Path(__file__).parents[1] / "src/lamplighter/store/migrations"
#: Alembic spells types out; the migrations use our own names for them
TYPES = (
    (r"lamplighter\.store\.schema\.types\.UtcTime\(timezone=True\)", "UtcTime()"),
    (r"sa\.BigInteger\(\)\.with_variant\(sa\.Integer\(\), 'sqlite'\)", "BigId"),
    (r"lamplighter\.store\.schema\.types\.Json\(\)", "Json()"),
    (r"    # ### .*\n", ""),
    (r"from sqlalchemy\.dialects import postgresql\n", ""),
)


def write(connection: sa.Connection, message: str) -> Path:
    """Lets Alembic write the file, then puts our own type names into it."""
    config = Config()
    config.set_main_option("script_location", str(VERSIONS))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    number = f"{len(list((VERSIONS / 'versions').glob('[0-9]*.py'))) + 1:04}"
    script = command.revision(config, message, autogenerate=True, rev_id=number)
    assert script is not None
    assert not isinstance(script, list)
    path = Path(script.path)
    text = path.read_text()
    for pattern, replacement in TYPES:
        text = re.sub(pattern, replacement, text)
    imports = "from alembic import op\n\nfrom lamplighter.store.schema.types import BigId, Json, UtcTime\n"
    path.write_text(text.replace("from alembic import op\n", imports))
    return path


async def compare_and_write(message: str) -> Path:
    """Migrates a throw-away database, compares it with the tables, writes the difference."""
    with tempfile.TemporaryDirectory() as folder:
        async with Database(f"sqlite:///{folder}/empty.db") as db:
            if list((VERSIONS / "versions").glob("[0-9]*.py")):
                await migrate.upgrade(db)
            async with db.exclusive() as connection:
                return await connection.run_sync(write, message)


def main(message: str) -> None:
    """Writes the migration and formats it."""
    path = asyncio.run(compare_and_write(message))
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--fix", "--quiet", str(path)], check=False)
    subprocess.run([*ruff, "format", "--quiet", str(path)], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
