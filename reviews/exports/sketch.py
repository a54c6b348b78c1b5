"""Plots for text alone."""

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 60


def sparkline(values: list[float]) -> str:
    """Return ``values`` as at most ``WIDTH`` bars, lowest to highest; of more values every n-th is drawn."""
    if not values:
        return ""
    if len(values) > WIDTH:
        values = [values[round(place * (len(values) - 1) / (WIDTH - 1))] for place in range(WIDTH)]
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    return "".join(BARS[min(len(BARS) - 1, int((value - low) / span * len(BARS)))] for value in values)
