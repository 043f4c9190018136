"""Registered sources, datasets and hierarchies, by name: how they are opened and checked."""
