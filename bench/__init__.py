"""Benchmarks: ratios of things measured side by side in one run. `python -m bench`, or `make bench`."""

import os

# As in the program: its matrices are small.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
