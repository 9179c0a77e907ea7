"""Numbers with their nouns: 1 page, 2 pages."""


def counted(number: int, noun: str) -> str:
    """The number with its noun in the right form: 1 page, 2,000 pages, 3 entries, 4 addresses."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{number:,} {noun[:-1]}ies"
    return f"{number:,} {noun}{'es' if noun.endswith(('s', 'x', 'ch', 'sh')) else 's'}"
