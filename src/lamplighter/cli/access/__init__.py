"""Commands about users, tokens and secrets."""
