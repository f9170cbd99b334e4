"""Causes with proof: what is told of a wrong kernel is tried on it before."""
