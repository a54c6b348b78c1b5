"""The modules whose tools every installation has. Importing them is cheap: libraries load on first use."""

BUILT_IN: tuple[str, ...] = ()
