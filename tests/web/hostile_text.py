"""Text that would do harm where it is not escaped."""

HOSTILE = '<img src=x onerror="alert(1)">'


XSS = '"><script>alert(1)</script>'
