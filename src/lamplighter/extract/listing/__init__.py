"""What repeats on a page, read as the rows of a listing."""
