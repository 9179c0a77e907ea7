"""Files of sources: every format is told by its looks, and a bad row is told by its line."""

import pytest

from lamplighter.errors import BadInput
from lamplighter.operations.sources import source_file_formats
from lamplighter.operations.sources.source_file_formats import FileFormat

OPML = """<?xml version="1.0" encoding="ISO-8859-1"?>
<opml version="1.0"><body>
  <outline text="Häfen">
    <outline text="Lantern" xmlUrl="https://a.example/feed" htmlUrl="https://a.example/"/>
    <outline title="Quay" type="link" url="https://b.example/" category="sea,/north"/>
  </outline>
</body></opml>"""


@pytest.mark.parametrize(
    ("text", "form", "rows"),
    [
        pytest.param(
            "\ufeffname;url\r\n\r\nQuay;https://a.example/\r\n",
            FileFormat.CSV,
            [(3, {"name": "Quay", "url": "https://a.example/"})],
            id="a spreadsheet's CSV",
        ),
        pytest.param(
            'url,name\nhttps://a.example/,"two\nlines"\nhttps://b.example/,\n',
            FileFormat.CSV,
            [(2, {"url": "https://a.example/", "name": "two\nlines"}), (4, {"url": "https://b.example/"})],
            id="a cell of two lines",
        ),
        pytest.param("url\nhttps://a.example/", FileFormat.CSV, [(2, {"url": "https://a.example/"})], id="one column"),
        pytest.param(
            '["https://a.example/", {"url": "https://b.example/"}]',
            FileFormat.JSON,
            [(1, {"url": "https://a.example/"}), (2, {"url": "https://b.example/"})],
            id="JSON",
        ),
        pytest.param('{"sources": [{"url": "x"}]}', FileFormat.JSON, [(1, {"url": "x"})], id="JSON in an object"),
        pytest.param(
            '{"url": "x"}\n\n{"url": "y"}', FileFormat.JSONL, [(1, {"url": "x"}), (3, {"url": "y"})], id="JSON lines"
        ),
        pytest.param("# mine\nhttps://a.example/\n", FileFormat.URLS, [(2, {"url": "https://a.example/"})], id="URLs"),
        pytest.param(
            OPML,
            FileFormat.OPML,
            [
                (4, {"url": "https://a.example/feed", "name": "Lantern", "tags": ["Häfen"], "expects": "feed"}),
                (5, {"url": "https://b.example/", "name": "Quay", "tags": ["Häfen", "north", "sea"]}),
            ],
            id="OPML",
        ),
    ],
)  # fmt: skip
def test_a_file_is_recognised_and_read_row_by_row(
    text: str, form: FileFormat, rows: list[tuple[int, dict[str, object]]]
) -> None:
    guessed = source_file_formats.guess(text)
    read = [(row.line, row.values) for row in source_file_formats.read(text, form)]

    assert (guessed, read) == (form, rows)


@pytest.mark.parametrize(
    ("text", "form", "lines"),
    [
        pytest.param("url\na,b\nc\n", FileFormat.CSV, [2], id="too many cells"),
        pytest.param('url,name\na,"b"c\nd,e\n', FileFormat.CSV, [2], id="a quote in the middle"),
        pytest.param('{"url": \n{"url": "x"}\n', FileFormat.JSONL, [1], id="half an object"),
        pytest.param('[1, {"url": "x"}, null]', FileFormat.JSON, [1, 3], id="no objects"),
    ],
)
def test_a_bad_row_is_told_by_its_line_and_the_others_are_read(text: str, form: FileFormat, lines: list[int]) -> None:
    rows = list(source_file_formats.read(text, form))

    assert [row.line for row in rows if row.trouble] == lines
    assert sum(row.trouble is None for row in rows) == 1


@pytest.mark.parametrize(
    ("text", "form"),
    [
        pytest.param("", FileFormat.CSV, id="an empty file"),
        pytest.param("{", FileFormat.JSON, id="half a file"),
        pytest.param("7", FileFormat.JSON, id="no list"),
        pytest.param("<html/>", FileFormat.OPML, id="another XML"),
        pytest.param("<opml>", FileFormat.OPML, id="half an OPML"),
        pytest.param(
            '<!DOCTYPE opml [<!ENTITY a "b">]><opml><outline url="&a;"/></opml>'.replace("&a;", "&b;"),
            FileFormat.OPML,
            id="an unknown entity",
        ),
    ],
)
def test_a_file_that_is_none_of_its_format_is_refused(text: str, form: FileFormat) -> None:
    with pytest.raises(BadInput):
        list(source_file_formats.read(text, form))
