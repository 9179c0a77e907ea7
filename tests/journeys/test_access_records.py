"""Records of a day: nothing that sites saw is lost, and nothing that is over stays in memory."""

from pathlib import Path

import aiohttp

from tests.journeys.access_records import Records
from tests.origin import Answer, Origin, Request


async def test_what_is_over_moves_to_the_file_as_it_was(origin: Origin, tmp_path: Path) -> None:
    records = Records(tmp_path / "records.jsonl")
    origin.page("/a", "<h1>a</h1>", etag='"1"')
    async with aiohttp.ClientSession() as client:
        for path in ("/a", "/b"):
            await (await client.get(origin.url + path)).read()
    # The client may have its answer before the origin has noted that it is over.
    await origin.close()
    seen = list(origin.log)

    records.take_from(origin)

    assert origin.log == []
    assert list(records.hits()) == seen


async def test_what_is_being_answered_stays_until_it_is_over(origin: Origin, tmp_path: Path) -> None:
    records = Records(tmp_path / "records.jsonl")

    def answer(_: Request) -> Answer:
        records.take_from(origin)
        return Answer()

    origin.route("/", answer)
    async with aiohttp.ClientSession() as client:
        for _ in range(3):
            await (await client.get(origin.url)).read()
    await origin.close()

    assert len(origin.log) == 1
    assert len(list(records.hits())) == 2
