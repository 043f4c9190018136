"""The machine: compiled functions, threads, interrupts, and what it has run out of."""
