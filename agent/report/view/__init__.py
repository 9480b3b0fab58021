"""A local web page over run files: read-only, loopback only; what a model wrote is only text."""
