"""What the service shows and accepts over HTTP."""
