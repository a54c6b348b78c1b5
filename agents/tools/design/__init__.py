"""Which experiments to do: designs over the space of the study."""
