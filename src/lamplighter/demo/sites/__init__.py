"""The sites of the demo web, in the order of their ports."""

from lamplighter.demo.page import Site
from lamplighter.demo.sites import copper_kettle, harbour_relief, lantern, meridian_labs, open_posts

SITES: tuple[Site, ...] = (harbour_relief.SITE, meridian_labs.SITE, lantern.SITE, copper_kettle.SITE, open_posts.SITE)
