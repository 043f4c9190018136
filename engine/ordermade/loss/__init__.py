"""What a generalisation costs: named metrics of information loss, and objectives of a search."""
