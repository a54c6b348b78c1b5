"""Tables and samples: describing, filtering, testing."""
