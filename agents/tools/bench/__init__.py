"""The experiments of a study: looked up in a dataset, or measured by a person."""
