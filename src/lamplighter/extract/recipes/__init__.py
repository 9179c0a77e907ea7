"""A source's own reading instructions: the language, its checks, its use."""
