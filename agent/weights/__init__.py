"""Checkpoints and their members θ_α = α·B + (1−α)·A: merge, inspect, verify, and load in vLLM."""
