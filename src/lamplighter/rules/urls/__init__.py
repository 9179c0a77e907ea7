"""Which URL is this, may it be followed, and may its address be contacted?"""
