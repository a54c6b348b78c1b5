"""Documents as text by page, read in a child process that can be stopped."""
