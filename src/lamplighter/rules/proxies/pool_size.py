"""How many proxies does a host need at its request rate?"""

import math
from dataclasses import dataclass
from fractions import Fraction

#: factor of the reserve
_RESERVE = Fraction(6, 5)
#: a proxy may always fail, so one alone is never enough
_LEAST, _LEAST_AMPLE = 2, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSize:
    """How many proxies are enough, and how many leave a reserve."""

    enough: int
    ample: int

    @property
    def words(self) -> str:
        """Both numbers in a phrase."""
        if not self.ample:
            return "none needed"
        return f"{self.enough} to {self.ample} proxies" if self.enough < self.ample else f"{self.ample} proxies"


def pool_size(*, per_hour: float, per_proxy: int) -> PoolSize:
    """The proxies that `per_hour` requests to one host need when each may make `per_proxy` of them an hour.

    Their quotient is enough; a fifth more is a reserve for those that fail.
    """
    if per_hour <= 0:
        return PoolSize(enough=0, ample=0)
    # Exactly, so that 100 / 20 with its reserve is 6 and not a hair more.
    needed = Fraction(per_hour).limit_denominator(1_000_000) / per_proxy
    return PoolSize(enough=max(_LEAST, math.ceil(needed)), ample=max(_LEAST_AMPLE, math.ceil(needed * _RESERVE)))
