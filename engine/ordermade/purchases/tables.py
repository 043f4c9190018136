"""The names of the workspace's tables of purchases, and of their columns."""

from __future__ import annotations

PURCHASES = "purchases"
"""The purchases in whole numbers of units, one row each, in the order of the rows' own numbers (`rowid`)."""
CUSTOMERS = "history_customers"
"""The customers in rank order: `key` (their identifier), `number` (from 0), `n` (purchases), `start`."""
GOODS = "history_goods"
"""The goods bought: `key`, `good` (from 1, in order), `item` (the number of the item released for it), `label`."""
ITEMS = "history_items"
"""The items released for goods: `item` (from 1, in order), `label` (its text), `goods` (how many it stands for)."""
CLUSTERS = "history_clusters"
"""`customer`, `cluster` (both from 0): of the customers that are in one."""
MATCHED = "history_matched"
"""`record`, `slot`: of the purchases that were matched outside the database."""
PLACED = "history_placed"
"""A view of the purchases that are released: `record`, `customer`, `cluster`, `slot`, their numbers and `item`."""
SLOTS = "history_slots"
"""The values that the purchases in a slot share, and the loss."""
SHOWN = "history_shown"
"""A view of the slots as they are released: `cluster`, `slot`, `n` (customers), the values by `release.plan.inner`."""


def units_column(place: int) -> str:
    """The column of a purchase's day (place 0) or number, in whole numbers of units."""
    return f"u{place + 1}"


def low_column(place: int) -> str:
    """The column of the least of a slot's days (place 0) or numbers."""
    return f"low_{place + 1}"


def high_column(place: int) -> str:
    """The column of the greatest of a slot's days (place 0) or numbers."""
    return f"high_{place + 1}"


def error_column(place: int) -> str:
    """The column of the summed error of a slot's days (place 0) or numbers."""
    return f"error_{place + 1}"
