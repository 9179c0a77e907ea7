"""The API of the seeds: thin routers that parse, call one operation and answer in the seed's own words."""
