"""Drafts made from the profiles of columns: roles, readings of messy texts, hierarchies, requests. Pure."""
