"""The engine's own state (sources, hierarchies, requests, table C, releases, audit) and, in a file apart, its cache."""
