"""Nothing is lost: what a run or a digest once held is there, or its loss is reported."""
