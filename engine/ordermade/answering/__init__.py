"""What every method of answering a request shares: the request held open, its book in the state, release and result."""
