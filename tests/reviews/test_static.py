"""What the browser gets is ours: known versions, no other site, small modules."""

import hashlib
import re
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[2] / "static"
OURS = [path for path in STATIC.rglob("*") if path.suffix in (".css", ".js") and "vendor" not in path.parts]


def test_vendored_files_are_the_listed_ones():
    vendor = STATIC / "vendor"
    listed = dict(reversed(line.split("  ")) for line in (vendor / "SHA256SUMS").read_text().splitlines())
    found = {
        str(path.relative_to(vendor)): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in vendor.iterdir()
        if folder.is_dir()
        for path in folder.iterdir()
    }
    assert found == listed


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_nothing_is_loaded_from_another_site(path):
    assert re.findall(r"https?://(?!www\.w3\.org)", path.read_text()) == []


@pytest.mark.parametrize("path", [p for p in OURS if p.suffix == ".js"], ids=lambda path: path.name)
def test_a_module_is_short_and_runs_no_text(path):
    text = path.read_text()
    assert len(text.splitlines()) < 150
    assert "eval(" not in text
    assert "new Function" not in text


@pytest.mark.parametrize(
    "path", [p for p in OURS if p.suffix == ".css" and p.name != "tokens.css"], ids=lambda p: p.name
)
def test_colours_come_from_the_tokens(path):
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b(?=\s*[;,)])", path.read_text()) == []
