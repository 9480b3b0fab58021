"""Problems, tests, limits, suites."""
