"""Rows of the state as frozen records, imported where they are made. Times are in UTC, with their zone."""
