"""Prediction of k: what is expected of nodes that were not measured. Pure; no proof rests on it."""
