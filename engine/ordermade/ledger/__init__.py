"""Releases judged beside each other: what their readers can work out together."""
