"""Requests of data users: reading, checking and resolving them."""
