"""`lamplighter index`: how it stands, made anew, compared, turned off."""

from collections.abc import Callable, Iterator

import pytest

from tests.cli.conftest import Answer, Lamplighter
from tests.origin import ThreadedOrigin
from tests.servers.http_stub import in_a_thread
from tests.servers.meilisearch import Meilisearch


@pytest.fixture
def stub() -> Iterator[Meilisearch]:
    """A search server."""
    server = Meilisearch()
    with in_a_thread(server):
        yield server


@pytest.fixture
def index(lamplighter: Lamplighter, stub: Meilisearch, site: ThreadedOrigin) -> Callable[..., Answer]:
    """The commands of an installation that has records and a server which knows of none of them."""
    lamplighter("crawl", site.url + "/jobs")
    env = {"LAMPLIGHTER_INDEX_URL": f"meilisearch+{stub.url}"}
    return lambda *words: lamplighter("index", *words, **env)


def test_without_a_server_there_is_nothing_to_be_made_anew(lamplighter: Lamplighter) -> None:
    shown, refused = lamplighter("index", "status"), lamplighter("index", "reindex")

    assert (shown.code, shown.out) == (0, "Search engine: database\nRecords: 0\n")
    assert refused.code == 1
    assert "LAMPLIGHTER_INDEX_URL" in refused.err


def test_an_index_is_made_and_kept_as_the_records_are(index: Callable[..., Answer], stub: Meilisearch) -> None:
    made = index("reindex", "--json")
    count = made.json["written"]
    documents = stub.indexes["lamplighter_records"].documents
    documents.pop(next(iter(documents)))

    before = index("status", "--json").json
    compared = index("reconcile")

    assert count >= 2
    assert (before["engine"], before["in_database"], before["in_index"]) == ("meilisearch", count, count - 1)
    assert (compared.code, compared.out) == (0, "1 record differed.\n")
    assert f"indexed: {count}" in index("status").out
    assert index("reconcile", "--json").json == {"differing": 0}


def test_a_server_that_cannot_be_reached_is_a_sentence_and_not_a_traceback(
    index: Callable[..., Answer], stub: Meilisearch
) -> None:
    stub.broken = 503

    shown, refused = index("status"), index("reindex")

    assert "Away: it responds with 503" in shown.out
    assert refused.code == 1
    assert "search server" in refused.err


def test_a_server_that_is_no_more_is_turned_off(index: Callable[..., Answer], lamplighter: Lamplighter) -> None:
    index("reindex")

    done = lamplighter("index", "off")

    assert done.code == 0
    assert lamplighter("index", "status").out.startswith("Search engine: database")
