"""θ_α: merge checkpoints, and load a merge in vLLM without writing it."""
