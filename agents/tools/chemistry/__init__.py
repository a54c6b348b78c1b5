"""Chemistry: names, structures, descriptors and what is needed at the bench."""
