"""The specification of Lamplighter, as tests."""
