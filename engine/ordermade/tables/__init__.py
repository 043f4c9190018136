"""Statistical tables with totals: their dimensions and cells, and what a reader can infer of the suppressed ones."""
