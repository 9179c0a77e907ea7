"""The slots of a worker, while their number changes."""

import asyncio

from lamplighter.fetch.slots import Slots


async def free(slots: Slots) -> int:
    """How many can be taken now."""
    count = 0
    while True:
        try:
            await asyncio.wait_for(slots.acquire(), 0.01)
        except TimeoutError:
            return count
        count += 1


async def test_more_slots_can_be_taken_at_once() -> None:
    slots = Slots(1)
    await slots.acquire()
    slots.resize(4)

    assert await free(slots) == 3


async def test_fewer_slots_hold_although_the_old_ones_were_taken() -> None:
    slots = Slots(3)
    for _ in range(3):
        await slots.acquire()
    slots.resize(1)

    before = await free(slots)
    for _ in range(3):
        slots.release()

    assert (before, await free(slots)) == (0, 1)


async def test_free_slots_are_withdrawn_too() -> None:
    slots = Slots(3)
    slots.resize(1)

    assert await free(slots) == 1


async def test_what_was_withdrawn_can_be_given_again() -> None:
    slots = Slots(3)
    for _ in range(3):
        await slots.acquire()
    slots.resize(1)
    slots.resize(4)

    assert await free(slots) == 1


async def test_a_slot_that_a_caller_got_while_it_was_cancelled_goes_to_the_next() -> None:
    slots = Slots(1)
    await slots.acquire()
    first, second = (asyncio.create_task(slots.acquire()) for _ in range(2))
    await asyncio.sleep(0)

    slots.release()
    first.cancel()
    await asyncio.wait_for(second, 10)

    assert first.cancelled()
    assert await free(slots) == 0
