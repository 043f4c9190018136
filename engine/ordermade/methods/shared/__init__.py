"""The parts every method shares to answer a request: the open request, its recorder, the release and the result."""
