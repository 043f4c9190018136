"""The parts every method shares to answer a request: the open request, its book in the state, release and result."""
