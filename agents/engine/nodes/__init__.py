"""One node a file. A node is a function (state, runtime) → update and meets the world through ports."""
