"""The demo: made-up members, their hierarchies, five requests, and what came of them."""
