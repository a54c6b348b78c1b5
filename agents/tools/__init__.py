"""Tools: what a study may do, and the gate that every call and every result passes."""
