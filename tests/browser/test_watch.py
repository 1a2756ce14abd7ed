"""The check of every browser test: that pages have no errors and ask no other host."""


def test_errors_and_requests_to_other_hosts_are_noticed(open_page, watches):
    page = open_page()
    page.route("https://example.org/**", lambda route: route.abort())
    page.evaluate("setTimeout(() => { throw new Error('thrown') })")
    page.evaluate("console.error('logged')")
    with page.expect_event("requestfailed"):
        page.evaluate("new Image().src = 'https://example.org/pixel.png'")
    (watch,) = watches
    assert sorted(watch.errors) == ["logged", "thrown"]
    assert watch.foreign_urls == ["https://example.org/pixel.png"]
    # Expected here, and so no failure of this test.
    watches.clear()
