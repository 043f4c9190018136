-- Gives nodes their whole histograms, where only small classes were noted; the lists run in parallel, one place a node.
-- $id = [1]
-- $class_sizes = ['[400, 600]']
-- $class_counts = ['[1, 1]']
-- after: observations_insert
UPDATE observations SET class_sizes = $class_sizes, class_counts = $class_counts WHERE id = $id
