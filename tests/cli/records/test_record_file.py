"""How are records written to files?"""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from lamplighter.cli.runs import crawl
from lamplighter.errors import BadInput


def record(**values: Any) -> dict[str, Any]:
    return {"title": "Pilot", "tags": [], "quality": 0.5, "fields": {}, "provenance": {}, **values}


def cells(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text())))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_that_looks_like_a_formula_is_marked_as_text(tmp_path: Path, start: str) -> None:
    title = f"{start}HYPERLINK(0)"

    crawl.write(tmp_path / "a.csv", [record(title=title, fields={"brand": title})])

    assert (tmp_path / "a.csv").read_bytes().decode().count(f"'{start}HYPERLINK(0)") == 2


def test_a_negative_number_is_no_formula(tmp_path: Path) -> None:
    crawl.write(tmp_path / "a.csv", [record(fields={"price": -5})])

    assert cells(tmp_path / "a.csv")[0]["price"] == "-5"


def test_every_kind_specific_field_that_occurs_gets_a_column(tmp_path: Path) -> None:
    crawl.write(tmp_path / "a.csv", [record(fields={"sku": "a"}), record(fields={"author": "b"}, tags=["x", "y"])])

    first, second = cells(tmp_path / "a.csv")
    assert (first["sku"], first["author"]) == ("a", "")
    assert (second["author"], second["tags"]) == ("b", "x; y")


def test_no_records_make_an_empty_file(tmp_path: Path) -> None:
    crawl.write(tmp_path / "a.jsonl", [])

    assert (tmp_path / "a.jsonl").read_bytes() == b""


def test_only_known_formats_are_written(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\.jsonl or \.csv"):
        crawl.check(tmp_path / "a.parquet")
