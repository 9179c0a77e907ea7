"""What a process remembers of its requests is what the site saw of them."""

from datetime import timedelta
from pathlib import Path

from lamplighter.rules.hosts import lanes
from tests.fetch.client_stack import opened
from tests.origin import Origin


async def test_each_request_is_remembered_with_its_delay_and_none_came_before_it_had_passed(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/a", "hello")
    origin.route("/b", status=404)
    async with opened(tmp_path, origin) as door:
        await door.set_policy(origin, min_delay_ms=50)
        began = door.store.clock.now()
        for path in ("/a", "/b", "/a"):
            await door.ask(origin.url + path)
        past = door.door.past.since(began)

    (lane,) = lanes.lanes(past, turns={}, now=door.store.clock.now())
    delay = timedelta(milliseconds=50)
    assert [each.outcome for each in past] == ["failed", "fetched", "failed", "fetched"]
    assert [hit.path for hit in origin.log] == ["/robots.txt", "/a", "/b", "/a"]
    assert {each.host for each in past} == {origin.address}
    assert lane.delay == delay
    assert lane.shortest_gap is not None
    assert lane.shortest_gap >= delay


async def test_a_page_that_robots_txt_forbids_was_not_requested(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: *\nDisallow: /a")
    async with opened(tmp_path, origin) as door:
        await door.ask(origin.url + "/a")

        assert len(door.door.past.since(door.store.clock.now() - timedelta(minutes=1))) == len(origin.log) == 1
