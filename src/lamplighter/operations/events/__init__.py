"""What happened to events, and what do events of other publishers do?"""
