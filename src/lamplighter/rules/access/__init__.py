"""Is this secret strong enough, and is this caller too fast?"""
