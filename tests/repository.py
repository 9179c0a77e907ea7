"""Where the repository is that these tests are part of."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
