"""Speaking with a search server: as whom, for how long, and without telling anybody the password."""

import pytest

from lamplighter.adapters.search.elasticsearch import Elasticsearch
from lamplighter.adapters.search.meilisearch import Meilisearch
from lamplighter.adapters.search.search_http import Address, SearchTimeouts, address_of
from lamplighter.app.engines import index_of
from lamplighter.errors import BadSetting
from lamplighter.ports import IndexAway
from lamplighter.settings import Settings, load
from tests.servers import elasticsearch, meilisearch

BRISK = SearchTimeouts(search=2, write=2, cooldown=60)


def _settings(url: str, **more: str) -> Settings:
    return load({}, index_url=url, **more)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:7700", Address("http://127.0.0.1:7700", None, None)),
        ("https://search.example/es/", Address("https://search.example/es", None, None)),
        ("http://ann:s%40cret@[::1]:9200", Address("http://[::1]:9200", "ann", "s@cret")),
    ],
)
def test_an_address_is_parted_from_its_credentials(url: str, address: Address) -> None:
    assert address_of(url) == address


@pytest.mark.parametrize("url", ["http://", "http://:80", "http://host:port"])
def test_an_address_without_a_server_is_refused(url: str) -> None:
    with pytest.raises(BadSetting, match="names no server"):
        address_of(url)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:7700", "solr+http://127.0.0.1:8983", "meilisearch://x", "meilisearch+ftp://x", "nonsense"]
)
def test_a_server_of_a_kind_that_we_do_not_know_is_refused_by_naming_those_we_do(url: str) -> None:
    with pytest.raises(BadSetting, match=r"meilisearch\+http.*elasticsearch\+https.*opensearch\+https"):
        index_of(_settings(url))


def test_a_key_for_opensearch_is_refused_instead_of_ignored() -> None:
    with pytest.raises(BadSetting, match="user:password@"):
        index_of(_settings("opensearch+http://127.0.0.1:9200", index_key="k"))


async def test_each_kind_is_known_by_its_scheme() -> None:
    urls = ("meilisearch+http://127.0.0.1:1", "elasticsearch+https://127.0.0.1:1", "opensearch+http://u:p@127.0.0.1:1")

    servers = [index_of(_settings(url)) for url in urls]

    assert [server.engine for server in servers if server] == ["meilisearch", "elasticsearch", "opensearch"]
    assert index_of(load({})) is None


async def test_a_key_is_sent_and_a_wrong_one_is_trouble_that_does_not_show_it() -> None:
    async with meilisearch.Meilisearch(key="right") as stub:
        good = Meilisearch(stub.url, key="right", prefix="test", patience=BRISK)
        bad = Meilisearch(stub.url, key="wr0ng", prefix="test", patience=BRISK)

        count = await good.count()
        with pytest.raises(IndexAway) as raised:
            await bad.count()

        await good.close()
        await bad.close()
    assert count == 0
    assert "403" in str(raised.value)
    assert "wr0ng" not in f"{raised.value!r} {bad.trouble} {bad.identity}"


@pytest.mark.parametrize(
    ("allowed", "url_user", "key"),
    [
        pytest.param({"user": ("ann", "s@cret")}, "ann:s%40cret@", None, id="basic"),
        pytest.param({"key": "abc"}, "", "abc", id="API key"),
    ],
)
async def test_elasticsearch_is_come_to_with_a_password_or_a_key(
    allowed: dict[str, object], url_user: str, key: str | None
) -> None:
    async with elasticsearch.Elasticsearch(**allowed) as stub:  # type: ignore[arg-type]
        server = Elasticsearch(stub.url.replace("//", f"//{url_user}"), key=key, prefix="test", patience=BRISK)

        count = await server.count()
        await server.close()

    assert count == 0
    assert "cret" not in server.identity


async def test_a_server_that_cannot_be_reached_is_left_alone_for_a_while() -> None:
    async with meilisearch.Meilisearch() as stub:
        server = Meilisearch(stub.url.replace("//", "//ann:s3cret@"), key=None, prefix="test", patience=BRISK)
        await stub.stop()
        with pytest.raises(IndexAway) as raised:
            await server.count()
        await stub.start()

        with pytest.raises(IndexAway):
            await server.count()

        await server.close()
    assert stub.seen == []
    assert "s3cret" not in str(raised.value)
