"""The nouns of the search space: levels and their refinement, nodes, lattices, observations."""
