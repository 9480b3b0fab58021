"""Statistics over arrays of counts. Pure functions: no files, no text, no pictures.

Shapes: C cells (model x mode), P problems, G clusters of problems, B bootstrap replicates.
"""
