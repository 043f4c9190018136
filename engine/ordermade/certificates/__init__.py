"""Certificates: why nothing better passes, in a file that a second, simpler piece of code checks."""
