"""The tailor-made service: users submit requests, which are negotiated, reviewed, run and delivered, step by step."""
