"""`python bench/pycanon_times.py FILE SENSITIVE COLUMN …`: k, l and t of a CSV file by pycanon, and the seconds.

Run by whichever interpreter has pycanon: it imports nothing of this project. The reading of the file is not timed.
"""

import json
import sys
import time

import pandas
from pycanon import anonymity

path, sensitive, *quasi_identifiers = sys.argv[1:]
data = pandas.read_csv(path, sep=";")
started = time.perf_counter()
k = anonymity.k_anonymity(data, quasi_identifiers)
l = anonymity.l_diversity(data, quasi_identifiers, [sensitive])  # noqa: E741
t = anonymity.t_closeness(data, quasi_identifiers, [sensitive])
print(json.dumps({"k": int(k), "l": int(l), "t": float(t), "seconds": time.perf_counter() - started}))
