"""A person as the instrument: tasks at the bench, what is typed and attached, sheets and tables for them."""
