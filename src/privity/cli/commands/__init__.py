"""What each command takes. Nothing here may need the host: `--help` waits for none of it."""
