"""Programs that run inside a workspace. They use the standard library alone and Python ≥ 3.8."""
