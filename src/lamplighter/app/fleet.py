"""Builds a process's part in the fleet: its heartbeat, and the leads that it takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

from lamplighter.app.foundation import Foundation
from lamplighter.crawl.fleet.instances import Membership
from lamplighter.crawl.fleet.leadership import Leadership
from lamplighter.model.fleet import Duty, Lead


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """This process in the fleet."""

    membership: Membership
    leadership: Leadership

    @classmethod
    def of(
        cls,
        base: Foundation,
        *,
        kind: str,
        figures: Callable[[], Mapping[str, float]],
        lead_taken: Callable[[Lead], None],
    ) -> Self:
        """Joins as `kind`; every heartbeat writes `figures`, and each lead that we take calls `lead_taken`."""
        membership = Membership(
            base.db, clock=base.clock, name=base.owner, kind=kind, duties=base.duties, figures=figures
        )
        leadership = Leadership(
            base.db,
            clock=base.clock,
            owner=base.owner,
            wanted={Lead.SWEEP, Lead.SCHEDULE} if Duty.SCHEDULE in base.duties else {Lead.SWEEP},
            is_dead=membership.is_dead,
            taken=lead_taken,
        )
        return cls(membership=membership, leadership=leadership)
