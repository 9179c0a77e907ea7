"""The paths of the task API: tasks, domains, proxies and products, in its envelope."""
