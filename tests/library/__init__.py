"""The findings library: what people do to findings, and that it holds everywhere."""
