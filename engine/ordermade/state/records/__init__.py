"""The rows of the state as frozen records, by noun. Times are in UTC, with their zone."""
