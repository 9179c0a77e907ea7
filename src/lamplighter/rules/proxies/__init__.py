"""Which proxy is used next, and who is to blame for a failure?"""
