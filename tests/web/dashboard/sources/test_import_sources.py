"""Importing sources: first what would happen to each row, then the same in earnest."""

from urllib.parse import urlencode

import pytest

from lamplighter.app import Store
from lamplighter.store.sources import sources
from lamplighter.web.dashboard.sources import import_sources
from tests.web.asgi_client import Ask, Reply

SAME = {"sec_fetch_site": "same-origin"}
FILE = "name,url,priority\nQuay,https://quay.example/jobs,high\nHull,https://hull.example/,urgent\n"


async def paste(ask: Ask, path: str, text: str, **more: str) -> Reply:
    body = urlencode({"text": text, **more}).encode()
    return await ask(path, method="POST", body=body, content_type="application/x-www-form-urlencoded", **SAME)


async def upload(ask: Ask, content: bytes) -> Reply:
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="s.csv"\r\n\r\n' + content + b"\r\n--x--\r\n"
    kind = "multipart/form-data; boundary=x"
    return await ask("/sources/import/preview", method="POST", body=part, content_type=kind, **SAME)


async def count(store: Store) -> int:
    async with store.db.read() as db:
        return await sources.count(db)


async def test_a_rehearsal_tells_of_every_row_and_writes_nothing(ask: Ask, store: Store) -> None:
    reply = await upload(ask, FILE.encode())

    text = " ".join(reply.text.split())
    assert reply.status == 200
    assert '<td class="number">2</td> <td><span class="badge good">would be added</span>' in text
    assert '<td class="number">3</td> <td><span class="badge bad">refused</span>' in text
    assert "<code>priority</code> <q>urgent</q>" in text
    assert "Import 1 source</button>" in text
    assert await count(store) == 0


async def test_what_was_rehearsed_is_imported_without_the_file(ask: Ask, store: Store) -> None:
    rehearsed = (await upload(ask, FILE.encode())).text
    held = rehearsed.partition('aria-label="The text">')[2].partition("</textarea>")[0].removeprefix("\n")

    reply = await paste(ask, "/sources/import", held)

    text = " ".join(reply.text.split())
    assert "<strong>1</strong>added" in text
    assert 'class="badge good">added</span>' in text
    assert await count(store) == 1


async def test_known_sources_are_left_as_they_are(ask: Ask) -> None:
    await paste(ask, "/sources/import", "https://quay.example/")

    reply = await paste(ask, "/sources/import/preview", "https://quay.example/\nhttps://hull.example/\n")

    assert "exists already" in reply.text
    assert "is already source" in reply.text
    assert "Import 1 source" in reply.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "nothing to import"),
        ("[", "the file is not JSON"),
        ("<rss/>", "not OPML"),
    ],
)
async def test_what_is_no_file_at_all_is_said_beside_the_field_and_kept(ask: Ask, text: str, message: str) -> None:
    reply = await paste(ask, "/sources/import/preview", text)

    fault = reply.text.partition('id="text-about" role="alert">')[2].partition("</span>")[0]
    assert reply.status == 422
    assert message in fault
    assert text.replace("<", "&lt;").replace(">", "&gt;") in reply.text


async def test_a_file_that_is_not_utf_8_is_refused_beside_its_field(ask: Ask) -> None:
    reply = await upload(ask, b"name,url\nCaf\xe9,https://a.example/\n")

    assert reply.status == 422
    assert "save it as UTF-8" in reply.text.partition('id="file-about" role="alert">')[2]


async def test_a_file_that_is_too_large_for_the_form_is_refused(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_sources, "LARGEST", 10)

    reply = await upload(ask, FILE.encode())

    assert reply.status == 422
    assert "up to 10 are imported here" in reply.text


async def test_what_stands_in_a_file_stays_text(ask: Ask) -> None:
    reply = await paste(
        ask, "/sources/import/preview", 'url\n"https://a.example/<script>alert(1)</script>"\n<script>\n'
    )

    assert "<script>alert" not in reply.text
    assert "&lt;script&gt;" in reply.text


async def test_the_sample_can_be_imported_as_it_is(ask: Ask) -> None:
    sample = await ask("/sources/import/sample.csv")

    reply = await paste(ask, "/sources/import/preview", sample.text)

    assert sample.headers["content-type"].startswith("text/csv")
    assert "Import 2 sources" in reply.text


async def test_the_way_out_is_linked_in_every_format(ask: Ask) -> None:
    text = (await ask("/sources/import")).text

    for form in ("csv", "json", "jsonl", "opml", "urls"):
        assert f"/api/v1/sources/export?format={form}" in text
        assert (await ask(f"/api/v1/sources/export?format={form}")).status == 200


async def test_a_report_of_thousands_shows_what_needs_attention_first(ask: Ask) -> None:
    many = "\n".join(f"https://s{number}.example/" for number in range(600))

    reply = await paste(ask, "/sources/import/preview", f"{many}\nhttp://\n")

    first = reply.text.partition("<tbody>")[2].partition("</tr>")[0]
    assert "refused" in first
    assert "and 101 more rows" in reply.text


async def test_a_file_of_more_than_a_million_bytes_is_imported_after_its_rehearsal(ask: Ask, store: Store) -> None:
    large = f"name,url\n{'Quay' * 300_000},https://quay.example/\nHull,https://hull.example/\n"
    rehearsed = await upload(ask, large.encode())
    part = f'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n{large}\r\n--x--\r\n'.encode()

    kind = "multipart/form-data; boundary=x"
    done = await ask("/sources/import", method="POST", body=part, content_type=kind, **SAME)

    assert 'action="/sources/import" enctype="multipart/form-data"' in rehearsed.text
    assert done.status == 200
    assert await count(store) == 1


async def test_a_text_that_is_longer_than_its_field_does_not_come_back_in_it(ask: Ask) -> None:
    short = await upload(ask, b'["' + b"x" * 499_000)
    long = await upload(ask, b'["' + b"x" * 500_001)

    assert (short.status, long.status) == (422, 422)
    assert "x" * 499_000 in short.text
    assert "xxx" not in long.text
