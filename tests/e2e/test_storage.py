"""A page that is open while the disk fills up says so, and takes it back when there is space again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import Site, end, serve, sign_in
from tests.faults.disk import fill, small_disk

pytestmark = pytest.mark.e2e


@pytest.fixture
def small_site(tmp_path: Path) -> Iterator[Site]:
    with small_disk(tmp_path / "home", megabytes=60) as home:
        site = serve(home)
        try:
            yield site
        finally:
            end(site)


def test_an_open_page_tells_that_the_disk_is_full_and_that_it_is_not_any_more(
    small_site: Site, browser: Browser
) -> None:
    page = sign_in(browser, small_site)
    notice = page.locator("#storage [role=alert]")
    expect(notice).to_contain_text("The disk is nearly full. Everything still works.")
    ballast = fill(small_site.home)
    expect(notice).to_contain_text(f"Free some space in {small_site.home}.", timeout=15_000)
    expect(notice).to_contain_text("The disk is full.")
    ballast.unlink()
    expect(notice).to_contain_text("The disk is nearly full.", timeout=15_000)
