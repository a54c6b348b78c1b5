"""Forms at the border: what a person typed, as typed values or as errors beside their fields."""
