"""The soak: 300 sources for 30 real minutes and for 7 virtual days, and whether anything grew, leaked or broke."""
