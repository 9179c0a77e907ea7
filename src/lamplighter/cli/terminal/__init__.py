"""What do commands share: options, tables, confirmation, error messages?"""
