"""Tables with totals: their cells and sums, what must be suppressed, and a proof for every suppressed cell."""
