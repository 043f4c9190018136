"""Categories of items: drafted from their descriptions, and checked against a dataset."""
