"""Whether this process uses more memory than it should, by the setting or by its container."""

from agents import memory_limit
from agents.memory_limit import MEGABYTE, limit, pressure, relieve, used


def test_the_setting_is_the_limit(settings):
    settings.DAYBOOK_MEMORY_MB = 1
    assert limit() == MEGABYTE
    assert used() > MEGABYTE
    assert pressure().endswith("1 MB are meant for it.")
    settings.DAYBOOK_MEMORY_MB = 1_000_000
    assert pressure() == ""


def test_without_a_setting_it_is_a_share_of_what_the_container_allows(settings, monkeypatch, tmp_path):
    settings.DAYBOOK_MEMORY_MB = 0
    file = tmp_path / "memory.max"
    monkeypatch.setattr(memory_limit, "_CGROUPS", (tmp_path / "none", file))
    for text, expected in (("max", None), (str(100 * MEGABYTE), 85 * MEGABYTE), (str(1 << 62), None)):
        file.write_text(text)
        assert limit() == expected
    file.unlink()
    assert (limit(), pressure()) == (None, "")


def test_letting_go_reads_tables_again_and_breaks_nothing():
    relieve()
    relieve()
