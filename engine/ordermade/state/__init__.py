"""The engine's own state (sources, hierarchies, requests, table C, …) and, in a file apart, its cache."""
