"""Commands about hosts, robots.txt and takedowns."""
