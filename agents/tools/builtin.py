"""The modules whose tools every installation has. Importing them is cheap: libraries load on first use."""

BUILT_IN: tuple[str, ...] = (
    "agents.tools.chemistry.names",
    "agents.tools.chemistry.structures",
    "agents.tools.chemistry.descriptors",
    "agents.tools.chemistry.bench_sums",
    "agents.tools.numerics.conversion",
    "agents.tools.numerics.fits",
    "agents.tools.numerics.kinetics",
    "agents.tools.numerics.expressions",
    "agents.tools.data.statistics",
    "agents.tools.literature.public",
)
