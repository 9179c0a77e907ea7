"""Which processes are alive, what is their share, and when is a server retried?"""
