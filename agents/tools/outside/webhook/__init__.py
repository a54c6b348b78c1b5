"""Instruments that take a job over HTTP and call back, days later."""
