"""The demo: made-up members, their hierarchies, three requests, and what came of them."""
