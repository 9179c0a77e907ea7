"""What can an operator do with proxies: add, assign, test, size the pool?"""
