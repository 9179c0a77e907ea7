"""The task API: tasks, domains, proxies and products, in its envelope."""
