"""`python bench/microagg1d_times.py VALUES LABELS K`: groups of a .npy file's values by microagg1d, and the
processor's seconds.

Run by whichever interpreter has microagg1d: it imports nothing of this project. Neither compiling nor files are timed.
"""

import json
import sys
import time

import numpy
from microagg1d.main import univariate_microaggregation

values_path, labels_path, k = sys.argv[1], sys.argv[2], int(sys.argv[3])
univariate_microaggregation(numpy.arange(1000.0), k)
values = numpy.load(values_path)
started = time.process_time()
labels = univariate_microaggregation(values, k)
seconds = time.process_time() - started
numpy.save(labels_path, labels.astype(numpy.int32))
print(json.dumps({"seconds": seconds}))
