"""Where are bodies kept? Files or S3."""
