"""`lamplighter archive` and `lamplighter export warc`: what is kept, for people and for other programs."""

import io
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from tests.cli.conftest import Lamplighter, job_page
from tests.origin import ThreadedOrigin


def _records(file: Path) -> list[tuple[str, str | None]]:
    found = []
    for record in ArchiveIterator(io.BytesIO(file.read_bytes()), check_digests="raise"):
        record.content_stream().read()
        found.append((record.rec_type, record.rec_headers["WARC-Target-URI"]))
    return found


def _crawl_twice(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", site.url + "/jobs")
    site.page("/jobs/1", job_page("Museum curator"), etag='"9"')
    lamplighter("crawl", site.url + "/jobs/1")


def test_versions_are_exported_as_a_warc_file_that_other_tools_accept(
    lamplighter: Lamplighter, site: ThreadedOrigin, tmp_path: Path
) -> None:
    _crawl_twice(lamplighter, site)
    file = tmp_path / "all.warc.gz"

    said = lamplighter("export", "warc", "--output", file)

    types = [kind for kind, _ in _records(file)]
    assert types[0] == "warcinfo"
    assert types.count("response") == 3
    # The page of one job came to say what that of another says.
    assert types.count("revisit") == len(types) - 4
    assert said.out == f"{len(types) - 1} versions written to {file}.\n"
    assert _passes_the_checker(file)


def test_an_export_is_of_what_is_asked_for(lamplighter: Lamplighter, site: ThreadedOrigin, tmp_path: Path) -> None:
    _crawl_twice(lamplighter, site)
    file = tmp_path / "some.warc.gz"

    lamplighter("export", "warc", "--output", file, "--source", site.url + "/jobs/1", "--latest")
    latest = _records(file)
    lamplighter("export", "warc", "--output", file, "--since", "2999-01-01")
    later = _records(file)

    assert [url for _, url in latest] == [None, site.url + "/jobs/1"]
    assert [kind for kind, _ in later] == ["warcinfo"]


def test_an_export_to_nowhere_is_refused_before_anything_is_done(lamplighter: Lamplighter, tmp_path: Path) -> None:
    no_folder = lamplighter("export", "warc", "--output", tmp_path / "no" / "a.warc.gz")
    no_name = lamplighter("export", "warc", "--output", tmp_path / "a.zip")

    assert (no_folder.code, no_name.code) == (2, 2)
    assert ".warc.gz" in no_name.err


def test_the_archive_says_what_it_holds(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", site.url + "/jobs")

    told = lamplighter("archive", "stats", "--json").json
    shown = lamplighter("archive", "stats").out

    assert (told["versions"], told["bodies"], told["segments"], told["dead_share"]) == (3, 3, 1, 0.0)
    assert told["bytes"] == told["living_bytes"] > 0
    assert "3 page versions, 3 different bodies" in shown


def test_a_sweep_forgets_what_the_settings_say(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", site.url + "/jobs/1")
    site.page("/jobs/1", job_page("Lighthouse keeper"), etag='"9"')
    lamplighter("crawl", site.url + "/jobs/1")

    nothing = lamplighter("archive", "sweep", "--json").json
    said = lamplighter("archive", "sweep", LAMPLIGHTER_ARCHIVE_KEEP_VERSIONS="1").out

    assert set(nothing.values()) == {0}
    assert "1 version and 1 body deleted" in said
    assert lamplighter("archive", "stats", "--json").json["versions"] == 1


def _passes_the_checker(file: Path) -> bool:
    checker = Checker(type("Command", (), {"inputs": [str(file)], "verbose": False})())
    checker.process_all()
    return bool(checker.exit_value == 0)
