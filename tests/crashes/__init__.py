"""The crash campaign: installations whose processes die at named points, and must end up as if nobody had died."""
