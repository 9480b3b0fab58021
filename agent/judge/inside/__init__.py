"""Programs that run inside a sandbox, as files: never imported here."""
