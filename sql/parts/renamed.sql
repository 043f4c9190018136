-- Puts the combinations that were merged last in the place of those before.
ALTER TABLE part_counts_added RENAME TO part_counts
