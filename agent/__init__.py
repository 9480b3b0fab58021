"""Maps the correctness-efficiency frontier of code models.

A problem, a checkpoint and an interaction mode make an attempt; an attempt ends in a submission;
the judge turns a submission into a verdict for every test; a report compares verdicts across
modes and checkpoints.
"""

__version__ = "0.1.0"
