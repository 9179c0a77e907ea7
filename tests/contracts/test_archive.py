"""What every archive promises, whichever format it writes and wherever it keeps it."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.app import archive_of
from lamplighter.errors import BadSetting
from lamplighter.ports import Archive
from lamplighter.settings import load
from tests.captures import capture
from tests.servers.s3 import S3Server

Opens = Callable[[], Archive]


@pytest.fixture(params=["the default", "files, plain", "files, warc", "s3, plain", "s3, warc"])
def opens(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opens:
    """Opens one and the same archive, each time as another process would."""
    kind: str = request.param
    if kind == "the default":
        chosen = load({}, data_dir=tmp_path)
    elif kind.startswith("files"):
        chosen = load({}, archive_url=f"file://{tmp_path}/a%20folder", archive_format=kind.split(", ")[1])
    else:
        server: S3Server = request.getfixturevalue("s3_server")
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        url, form = server.new_url(), kind.split(", ")[1]
        chosen = load({}, archive_url=url, archive_s3_endpoint=server.endpoint, archive_format=form)
    return lambda: archive_of(chosen, DatabaseClock())


async def _bytes_of(archive: Archive) -> int:
    return sum(segment.size for segment in await archive.segments())


async def test_what_is_put_is_had_by_another_process_too(opens: Opens) -> None:
    kept = await opens().put([capture(b"one"), capture(b"two" * 100_000), capture(b"")])

    elsewhere = opens()

    assert [await elsewhere.get(one.key) for one in kept] == [b"one", b"two" * 100_000, b""]


async def test_a_capture_comes_back_as_it_was(opens: Opens) -> None:
    put = capture(b"<p>page</p>", url="http://site.example/?q=%C3%A9&r=1")
    (kept,) = await opens().put([put])

    assert await opens().capture(kept.key) == put


async def test_further_captures_leave_the_earlier_ones_alone(opens: Opens) -> None:
    archive = opens()
    (first,) = await archive.put([capture(b"first")])
    (second,) = await archive.put([capture(b"second")])

    assert [await opens().get(one.key) for one in (first, second)] == [b"first", b"second"]


async def test_nothing_to_put_takes_no_space(opens: Opens) -> None:
    assert await opens().put([]) == []
    assert await opens().segments() == []


async def test_a_discarded_capture_is_gone_and_its_neighbours_stay(opens: Opens) -> None:
    archive = opens()
    before, secret, after = await archive.put([capture(b"before"), capture(b"keep me not"), capture(b"after")])

    await archive.discard([secret.key])

    assert await archive.get(secret.key) is None
    assert await opens().capture(secret.key) is None
    assert [await opens().get(one.key) for one in (before, after)] == [b"before", b"after"]


async def test_discarding_what_is_not_there_is_no_error(opens: Opens) -> None:
    (kept,) = await opens().put([capture(b"there")])
    mark = kept.key.rpartition(":")[2]

    await opens().discard([f"unknown:0:300:{mark}", kept.key])
    await opens().discard([kept.key])

    assert await opens().get(kept.key) is None


async def test_what_is_not_there_is_nothing(opens: Opens) -> None:
    assert await opens().get("unknown:0:300:p") is None
    assert await opens().capture("unknown:0:300:w") is None


async def test_several_are_had_at_once_from_memory_and_from_where_they_are_kept(opens: Opens) -> None:
    archive = opens()
    (old,) = await opens().put([capture(b"old")])
    (gone,) = await opens().put([capture(b"gone")])
    await archive.remove(gone.segment)
    (new,) = await archive.put([capture(b"new")])

    had = await archive.get_all([new.key, gone.key, old.key, new.key])

    assert had == [b"new", None, b"old", b"new"]
    assert await archive.get_all([]) == []


async def test_segments_say_what_they_take_and_since_when(opens: Opens) -> None:
    kept = await opens().put([capture(b"x" * 10_000), capture(b"y" * 10_000)])

    (segment,) = await opens().segments()

    assert {one.segment for one in kept} == {segment.name}
    assert sum(one.size for one in kept) <= segment.size
    assert abs(segment.changed_at - datetime.now(UTC)) < timedelta(minutes=5)


async def test_a_removed_segment_frees_its_space(opens: Opens) -> None:
    (one,) = await opens().put([capture(b"one")])
    (two,) = await opens().put([capture(b"two")])

    await opens().remove(one.segment)
    await opens().remove("unknown")

    assert await opens().get(one.key) is None
    assert await opens().get(two.key) == b"two"
    assert [segment.name for segment in await opens().segments()] == [two.segment]


async def test_the_space_of_a_discarded_capture_stays_until_its_segment_goes(opens: Opens) -> None:
    (kept,) = await opens().put([capture(b"z" * 1000)])
    before = await _bytes_of(opens())

    await opens().discard([kept.key])

    assert await _bytes_of(opens()) == before


async def test_many_at_once_do_not_disturb_each_other(opens: Opens) -> None:
    archive = opens()
    bodies = [f"body {number}".encode() * 50 for number in range(20)]

    kept = await asyncio.gather(*(archive.put([capture(body)]) for body in bodies))

    assert [await opens().get(one.key) for (one,) in kept] == bodies


async def test_an_archive_whose_format_was_changed_reads_what_it_has(tmp_path: Path) -> None:
    def opened(form: str) -> Archive:
        return archive_of(load({}, data_dir=tmp_path, archive_format=form), DatabaseClock())

    (plain,) = await opened("plain").put([capture(b"plain")])
    (warc,) = await opened("warc").put([capture(b"warc")])

    for form in ("plain", "warc"):
        assert [await opened(form).get(one.key) for one in (plain, warc)] == [b"plain", b"warc"]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/x", "s3://", "s3://bucket/x?y=1", "file://elsewhere/x", "file:///", "x"]
)
def test_a_url_that_names_no_archive_is_refused_with_what_would_work(url: str) -> None:
    with pytest.raises(BadSetting, match=r"s3://bucket/prefix or file:///folder"):
        archive_of(load({}, archive_url=url), DatabaseClock())


async def _strays(archive: Archive, known: Sequence[str]) -> list[str]:
    return [stray.url for segment in await archive.segments() for stray in await archive.strays(segment, known)]


async def test_captures_to_which_no_key_refers_are_found_wherever_they_are(opens: Opens) -> None:
    archive = opens()
    urls = [f"http://site.example/{number}" for number in range(5)]
    kept = await archive.put([capture(b"<p>page</p>" * 50, url=url) for url in urls])

    found = await _strays(opens(), [kept[1].key, kept[3].key])

    assert sorted(found) == [urls[0], urls[2], urls[4]]


async def test_a_stray_capture_is_read_by_its_key(opens: Opens) -> None:
    put = capture(b"<p>page</p>" * 50)
    await opens().put([put])

    archive = opens()
    (segment,) = await archive.segments()
    (stray,) = await archive.strays(segment, ())

    assert (stray.url, stray.fetched_at) == (put.url, put.fetched_at)
    assert await archive.capture(stray.at.key) == put


async def test_a_discarded_capture_is_never_found_again(opens: Opens) -> None:
    archive = opens()
    (secret,) = await archive.put([capture(b"keep me not" * 50)])

    await archive.discard([secret.key])

    assert await _strays(opens(), ()) == []
