"""Connecting to a Chroma server: precise messages, no telemetry, no proxy for loopback."""

import os

import pytest
from werkzeug import Response

from agents.adapters.chroma.client import connect
from agents.core.errors import BadInput, Transient


@pytest.mark.parametrize("url", ["chroma:8000", "", "ftp://chroma", "http://", "http://chroma:port"])
def test_an_address_that_is_none_is_named(url):
    with pytest.raises(BadInput, match="CHROMA_URL"):
        connect(url)


def test_nobody_at_the_address_is_a_passing_fault():
    with pytest.raises(Transient, match=r"no Chroma server answers at 127\.0\.0\.1:9 "):
        connect("http://127.0.0.1:9")


def test_something_else_at_the_address_is_said(httpserver):
    httpserver.expect_request("/").respond_with_response(Response("<html>"))

    with pytest.raises(Transient, match="is no Chroma server"):
        connect(httpserver.url_for(""))


def test_loopback_is_never_asked_through_a_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "example.org")
    with pytest.raises(Transient):
        connect("http://127.0.0.1:9")

    assert os.environ["NO_PROXY"] == "example.org,127.0.0.1"
    assert os.environ["ANONYMIZED_TELEMETRY"] == "False"
