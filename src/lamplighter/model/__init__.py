"""The data types of Lamplighter as frozen dataclasses and enums; imports nothing else of the project."""
