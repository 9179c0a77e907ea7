"""What do HTTPS, new connections and coming again add to the cost of a page?

    python -m benchmarks.variants [--pages 2000] [--hosts 50] [--rounds 3] [--peers scrapy_tuned|none]

The site of `benchmarks.crawl`, served in other ways; all take turns, and of each the round in the middle counts.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median_low
from typing import Final, NamedTuple

from benchmarks.contenders import OURS, PEERS, Contender, tally_from
from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.measure import measure
from benchmarks.measuring.peer_venv import python_of_peers
from benchmarks.measuring.showing import alone
from benchmarks.site.nginx import Serving, serve
from benchmarks.site.site import SitePlan, link_all, write_site

_REPOSITORY: Final = Path(__file__).resolve().parent.parent
_WORKSPACE: Final = _REPOSITORY / ".bench"
_PATIENCE: Final = timedelta(minutes=10)
#: CPU ms that HTTPS on a kept connection may add to a page, and of a page that is seen again as it was
TLS_MS, AGAIN_MS = 0.15, 2.5
_COMPARED: Final = tuple(peer for peer in PEERS if peer.name in ("scrapy_tuned", "bare_loop"))
#: pages, hosts, rounds
_SIZES: Final = {Size.FULL: (5_000, 50, 3), Size.QUICK: (1_000, 50, 1), Size.TINY: (20, 4, 1)}


class Variant(NamedTuple):
    """A way to serve the site, or to visit it."""

    name: str
    is_https: bool = False
    keeps_alive: bool = True
    #: whether every page was seen before and is as it was; of ours alone, as peers keep nothing
    is_again: bool = False


PLAIN: Final = Variant("HTTP")
TLS: Final = Variant("HTTPS", is_https=True)
AGAIN: Final = Variant("HTTP, again and nothing changed", is_again=True)
VARIANTS: Final = (
    PLAIN,
    Variant("HTTP, a new connection for each page", keeps_alive=False),
    TLS,
    Variant("HTTPS, a new connection for each page", is_https=True, keeps_alive=False),
    AGAIN,
)
Costs = Mapping[tuple[str, str], Sequence[float]]


def measured(pages: int, hosts: int, rounds: int, peers: Sequence[Contender], *, tell: Tell) -> Findings:
    """CPU ms of a page, starting included, in the middle of the rounds."""
    plan = SitePlan.even(pages=pages, hosts=hosts)
    (_WORKSPACE / ".gitignore").parent.mkdir(exist_ok=True)
    (_WORKSPACE / ".gitignore").write_text("*\n")
    deep, flat = (_WORKSPACE / "site" / f"{hosts}-hosts-{pages}-pages{form}" for form in ("", "-flat"))
    for site in (deep, flat):
        site.mkdir(parents=True, exist_ok=True)
        write_site(plan, site)
    link_all(plan, flat)
    python = python_of_peers(_WORKSPACE) if peers else sys.executable
    costs: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-variants-") as name:
        tls = _certificate(Path(name), plan.addresses)
        for number in range(1, rounds + 1):
            for variant in VARIANTS:
                for contender in (OURS,) if variant.is_again else (OURS, *peers):
                    tell(f"{contender.name}: {variant.name}, round {number}")
                    interpreter = sys.executable if contender is OURS else python
                    site = flat if variant.is_again else deep
                    spent = _cost([interpreter, "-m", contender.module], variant, plan, site, tls)
                    costs.setdefault((variant.name, contender.name), []).append(spent)
    middle = {key: median_low(found) for key, found in costs.items()}
    return Findings(figures=tuple(_promises(middle)), sheets=(_sheet(middle, (OURS, *peers), pages, hosts),))


def _cost(command: Sequence[str], variant: Variant, plan: SitePlan, site: Path, tls: tuple[Path, Path]) -> float:
    serving = Serving(keeps_alive=variant.keeps_alive, tls=tls if variant.is_https else None)
    with serve(site, plan.addresses, serving) as origin, tempfile.TemporaryDirectory(prefix="bench-again-") as folder:
        bases = plan.bases(origin.port)
        if variant.is_https:
            bases = tuple(base.replace("http:", "https:", 1) for base in bases)
        if not variant.is_again:
            return _spent([*command, "--base", *bases], plan, tls[0])
        given = [*command, "--state", folder, "--depth", "1", "--base", *bases]
        _spent(given, plan, tls[0])
        return _spent(given, plan, tls[0])


def _spent(command: Sequence[str], plan: SitePlan, trusted: Path) -> float:
    """CPU ms of a page."""
    spent = measure(command, cwd=_REPOSITORY, timeout=_PATIENCE, env={"SSL_CERT_FILE": str(trusted)})
    tally = tally_from(spent.stdout)
    if spent.exit_code or tally is None or tally.pages != plan.pages:
        raise RuntimeError(f"{command[2]} read {tally} instead of {plan.pages} pages: {spent.stderr[-1000:]}")
    return 1000 * spent.cpu.total_seconds() / plan.pages


def _certificate(folder: Path, addresses: Sequence[str]) -> tuple[Path, Path]:
    """A certificate of our own for all hosts, and its key."""
    if (openssl := shutil.which("openssl")) is None:
        raise RuntimeError("HTTPS needs the openssl program (Debian package: openssl)")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    names = ",".join(f"IP:{address}" for address in addresses)
    options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=bench".split()
    files = ["-addext", f"subjectAltName={names}", "-keyout", key, "-out", certificate]
    subprocess.run([openssl, *options, *files], check=True, capture_output=True, timeout=120)
    return certificate, key


def _promises(middle: Mapping[tuple[str, str], float]) -> Iterator[Figure]:
    more = middle[TLS.name, OURS.name] - middle[PLAIN.name, OURS.name]
    yield Figure(name="HTTPS kept alive, a page more than HTTP", value=round(more, 2), unit="ms", at_most=TLS_MS)
    again = round(middle[AGAIN.name, OURS.name], 2)
    yield Figure(name="CPU of a page that is as it was", value=again, unit="ms", at_most=AGAIN_MS)


def _sheet(middle: Mapping[tuple[str, str], float], contenders: Sequence[Contender], pages: int, hosts: int) -> Sheet:
    return Sheet(
        title=f"CPU ms of a page, {pages:,} pages on {hosts} hosts",
        headings=("", *(contender.name for contender in contenders)),
        rows=tuple(
            (variant.name, *(_shown(middle.get((variant.name, contender.name))) for contender in contenders))
            for variant in VARIANTS
        ),
        note=(
            "Starting included. Ours verifies certificates; Scrapy does not by default. Where nothing changed, the "
            "first page of each host links to all others: it is read for its links, and all others are compared."
        ),
    )


def _shown(ms: float | None) -> str:
    return "keeps nothing" if ms is None else f"{ms:.2f}"


def main() -> int:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", default="scrapy_tuned", help="names with commas, or none")
    given = parser.parse_args()
    peers = [peer for peer in _COMPARED if peer.name in given.peers.split(",")]
    return alone(lambda tell: measured(given.pages, given.hosts, given.rounds, peers, tell=tell))


PART: Final = Part(
    name="variants",
    title="HTTPS, new connections, coming again",
    about=(
        "The site of the crawl above, over HTTPS with a certificate of our own, with a connection for each page, and "
        "visited again by ours when nothing has changed. All take turns, three times; the middle is shown."
    ),
    run=lambda size, tell: measured(*_SIZES[size], () if size is Size.TINY else _COMPARED, tell=tell),
)


if __name__ == "__main__":
    sys.exit(main())
