"""Requests: reading, checking and resolving what a data user asks for."""
