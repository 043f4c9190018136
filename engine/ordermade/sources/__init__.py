"""Registered databases that hold the personal data: one small contract, one module a kind, one executor each."""
