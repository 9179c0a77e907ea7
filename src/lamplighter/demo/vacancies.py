"""The fictional vacancies of a job board: which position, where, until when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.demo.timeline import Life, draw, life_of, lives_at, pick


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacancy:
    """One open position."""

    id: str
    title: str
    unit: str
    city: str
    country: str
    country_code: str
    contract: str
    salary: int
    opened_at: datetime
    closes_at: datetime
    duties: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What a board draws its vacancies from, and how quickly they are replaced."""

    place: str
    slots: int
    #: how long a vacancy stays open; one of them changes every lasts/slots
    lasts: timedelta
    titles: Sequence[str]
    units: Sequence[str]
    #: (city, country, ISO code)
    cities: Sequence[tuple[str, str, str]]
    contracts: Sequence[str]
    duties: Sequence[str]

    def open_at(self, now: datetime) -> tuple[Vacancy, ...]:
        """Every open vacancy, newest first."""
        lives = lives_at(now, self.place, slots=self.slots, lasts=self.lasts)
        return tuple(self._vacancy(life) for life in sorted(lives, key=lambda life: life.born, reverse=True))

    def closed_before(self, now: datetime) -> tuple[Vacancy, ...]:
        """The predecessors of the open ones: closed, but people still follow links to them."""
        lives = lives_at(now, self.place, slots=self.slots, lasts=self.lasts)
        return tuple(
            self._vacancy(life_of(self.place, life.slot, life.generation - 1, slots=self.slots, lasts=self.lasts))
            for life in lives
        )

    def _vacancy(self, life: Life) -> Vacancy:
        key = (self.place, life.slot, life.generation)
        city, country, code = pick(self.cities, *key, "city")
        return Vacancy(
            id=f"{life.generation * self.slots + life.slot}",
            # Titles follow the slot, so that a board does not repeat one title everywhere.
            title=self.titles[(life.slot + life.generation) % len(self.titles)],
            unit=pick(self.units, *key, "unit"),
            city=city,
            country=country,
            country_code=code,
            contract=pick(self.contracts, *key, "contract"),
            salary=28_000 + 500 * int(draw(*key, "salary") * 90),
            opened_at=life.born,
            closes_at=life.dies,
            duties=tuple(pick(self.duties, *key, "duty", n) for n in range(3)),
        )
