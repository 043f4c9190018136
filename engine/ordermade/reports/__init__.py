"""The report of a release: its figures, gathered once, and the page that shows them."""
