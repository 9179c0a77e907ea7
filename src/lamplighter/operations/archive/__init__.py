"""What does the archive hold, how long is it kept, and how is it exported?"""
