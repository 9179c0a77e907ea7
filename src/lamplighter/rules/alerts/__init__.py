"""What is worth an alert, and what does a notification say?"""
