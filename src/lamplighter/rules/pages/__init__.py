"""Which page comes first, and how do its versions differ?"""
