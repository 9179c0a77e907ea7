"""What robots.txt and URLs cost the peers' libraries; run with the peers' interpreter, prints JSON."""

import json
from urllib.parse import urljoin
from urllib.robotparser import RobotFileParser

from protego import Protego  # type: ignore[import-not-found]
from w3lib.url import canonicalize_url, safe_url_string  # type: ignore[import-not-found]

from benchmarks.robots_urls import AGENT, BASE, HREFS, LONG_ROBOTS, URLS, per_second
from benchmarks.site.site import ROBOTS


def main() -> None:
    """Operations per CPU second."""
    protego, stdlib = Protego.parse(ROBOTS), RobotFileParser()
    stdlib.parse(ROBOTS.splitlines())
    protego_long, stdlib_long = Protego.parse(LONG_ROBOTS), RobotFileParser()
    stdlib_long.parse(LONG_ROBOTS.splitlines())
    found = {
        "Protego": {
            "robots.txt read": per_second(lambda _: Protego.parse(ROBOTS), URLS),
            "robots.txt of 2,000 rules read": per_second(lambda _: Protego.parse(LONG_ROBOTS), URLS),
            "may this URL be fetched?": per_second(lambda url: protego.can_fetch(url, AGENT), URLS),
            "the same, 2,000 rules": per_second(lambda url: protego_long.can_fetch(url, AGENT), URLS),
        },
        "urllib": {
            "robots.txt read": per_second(lambda _: RobotFileParser().parse(ROBOTS.splitlines()), URLS),
            "robots.txt of 2,000 rules read": per_second(
                lambda _: RobotFileParser().parse(LONG_ROBOTS.splitlines()), URLS
            ),
            "may this URL be fetched?": per_second(lambda url: stdlib.can_fetch(AGENT, url), URLS),
            "the same, 2,000 rules": per_second(lambda url: stdlib_long.can_fetch(AGENT, url), URLS),
            "links resolved": per_second(lambda href: urljoin(BASE, href), HREFS),
        },
        "w3lib": {
            "URLs normalised": per_second(canonicalize_url, URLS),
            "links resolved": per_second(lambda href: safe_url_string(urljoin(BASE, href)), HREFS),
        },
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
