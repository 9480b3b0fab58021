"""Numbers and pictures from runs. Knows stored rows only: no models, no modes."""
