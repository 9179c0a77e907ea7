"""SQL about hosts: host policies, leases, robots.txt files, takedowns, domains."""
