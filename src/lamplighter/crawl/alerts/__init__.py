"""Evaluates alerts, writes notices and sends notifications."""
