"""Prediction of k of nodes that were not measured. Pure; no proof rests on it."""
