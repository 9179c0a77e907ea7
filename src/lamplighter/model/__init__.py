"""The nouns of Lamplighter as frozen dataclasses and enums; imports nothing of ours."""
