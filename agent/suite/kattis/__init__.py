"""ICPC/Kattis problem packages: `legacy` (also without a version field) and 2023-07 to 2025-09."""
