"""What was written: the documents of the study, and public literature."""
