"""Security bugs that other crawlers had, each with the test that shows that Lamplighter does not have it.

Neighbours are changedetection.io and Scrapy: both ask sites for pages, one of them has a dashboard besides.
"""

from typing import NamedTuple


class Bug(NamedTuple):
    """A bug that somebody else had."""

    #: as its advisory, its commit or its pull request is called
    name: str
    #: what could be done
    was: str
    #: where it is shown that it cannot be done here: file::test
    test: str


_PAGES = "tests/security/test_known_bugs_web.py"
_CRAWL = "tests/security/test_known_bugs_crawl.py"

BUGS = (
    Bug(
        "CVE-2024-51483",
        "files were read as file:// behind the prefix source:",
        f"{_PAGES}::test_cve_2024_51483_a_prefix_does_not_hide_a_file",
    ),
    Bug(
        "CVE-2024-51998",
        "files were read as file:/ with fewer slashes",
        f"{_PAGES}::test_cve_2024_51998_a_file_with_fewer_slashes_is_no_url",
    ),
    Bug(
        "CVE-2024-56509",
        "files were read as file: in another spelling",
        f"{_PAGES}::test_cve_2024_56509_a_file_in_any_spelling_is_no_url",
    ),
    Bug(
        "CVE-2025-52558",
        "markup in the text of an error ran in the dashboard",
        f"{_CRAWL}::test_cve_2025_52558_an_error_is_shown_as_text",
    ),
    Bug(
        "CVE-2025-62780",
        "markup stored through the API ran in the dashboard",
        f"{_PAGES}::test_cve_2025_62780_what_the_api_stores_is_shown_as_text",
    ),
    Bug(
        "CVE-2026-25527",
        "strangers read the program's files below /static/",
        f"{_PAGES}::test_cve_2026_25527_a_static_path_does_not_leave_its_folder",
    ),
    Bug(
        "CVE-2026-27645",
        "the feed of one page repeated an id as markup",
        f"{_PAGES}::test_cve_2026_27645_an_id_is_not_repeated_as_markup",
    ),
    Bug(
        "CVE-2026-27696",
        "addresses inside the network were asked",
        f"{_CRAWL}::test_cve_2026_27696_no_place_that_takes_a_url_reaches_inside",
    ),
    Bug(
        "CVE-2026-29038",
        "the feed of a tag repeated the tag as markup",
        f"{_PAGES}::test_cve_2026_29038_a_filter_is_not_repeated_as_markup",
    ),
    Bug(
        "CVE-2026-29039",
        "files were read by functions of XPath",
        f"{_PAGES}::test_cve_2026_29039_no_selector_reads_a_file",
    ),
    Bug(
        "CVE-2026-29065",
        "a backup wrote files elsewhere, filled the disk, held secrets",
        f"{_PAGES}::test_cve_2026_29065_a_backup_writes_and_tells_nothing_but_itself",
    ),
    Bug(
        "CVE-2026-33981",
        "the environment was read by env of jq",
        f"{_PAGES}::test_cve_2026_33981_no_path_reads_the_environment",
    ),
    Bug(
        "CVE-2026-35490",
        "routes stood open because of the order of decorators",
        "tests/web/access/test_every_route.py::test_a_route_without_a_role_is_refused_for_everyone",
    ),
    Bug(
        "GHSA-vwgh",
        "a route was open because its name held that of an open one",
        f"{_PAGES}::test_ghsa_vwgh_the_name_of_an_open_route_opens_no_other",
    ),
    Bug(
        "GHSA-3v57",
        "other sites changed things through a visitor's browser",
        f"{_PAGES}::test_ghsa_3v57_no_form_is_taken_from_another_site",
    ),
    Bug(
        "GHSA-4j9m", "the colour of a tag was CSS for the whole page", f"{_PAGES}::test_ghsa_4j9m_no_value_becomes_css"
    ),
    Bug(
        "GHSA-gwph",
        "addresses of carrier-grade NAT were asked",
        "tests/fetch/test_address_guard.py::test_j6_closed_addresses_are_refused_with_the_way_to_open_them",
    ),
    Bug(
        "GHSA-mh42",
        "an import wrote files by a value that forms refused",
        f"{_PAGES}::test_ghsa_mh42_an_import_takes_no_value_that_a_form_refuses",
    ),
    Bug(
        "08017d66",
        "the address was checked by another parser than it was asked by",
        "tests/fetch/test_client.py::test_f3_a_url_that_is_read_in_two_ways_is_never_asked_for",
    ),
    Bug(
        "XXE",
        "entities of XML read files and other sites",
        "tests/web/api/test_hostile_values.py::test_a_list_of_feeds_makes_us_read_nothing_but_itself",
    ),
    Bug(
        "#4306",
        "the login page told strangers the version",
        f"{_PAGES}::test_4306_no_page_or_header_tells_a_stranger_the_version",
    ),
    Bug(
        "GHSA-23j4",
        "redirects led to file: and other schemes",
        "tests/fetch/test_client.py::test_b3_a_redirect_out_of_the_web_is_a_bad_redirect",
    ),
    Bug(
        "GHSA-4qqq",
        "credentials went along to another port or scheme of a host",
        "tests/crawl/fetching/test_json_apis.py::test_a_secret_is_sent_to_the_api_and_to_nobody_else",
    ),
    Bug(
        "GHSA-jm3v",
        "a redirect kept the proxy of the scheme before",
        "tests/faults/test_proxies.py::test_g5_only_the_proxies_that_were_given_are_used_and_each_hop_goes_by_its_own",
    ),
    Bug(
        "GHSA-cw9j",
        "credentials went along to another domain",
        f"{_CRAWL}::test_ghsa_cw9j_credentials_do_not_go_along_to_another_host",
    ),
    Bug(
        "GHSA-cjvr",
        "cookies went along to another domain",
        "tests/crawl/fetching/test_cookies.py::test_a_cookie_that_a_redirect_sets_goes_along_on_the_same_host_and_not_to_another",
    ),
    Bug(
        "GHSA-mfjm",
        "a cookie for all of a public suffix was kept",
        "tests/rules/hosts/test_cookies.py::test_a_cookie_that_we_do_not_keep_says_why",
    ),
    Bug(
        "GHSA-7j7m",
        "a small answer unpacked into all memory",
        "tests/fetch/test_client.py::test_b1_a_bomb_is_put_down_while_it_unpacks",
    ),
    Bug(
        "CVE-2025-6176",
        "the same, packed by brotli",
        "tests/fetch/test_client.py::test_b1_a_bomb_is_put_down_while_it_unpacks",
    ),
    Bug(
        "GHSA-cc65",
        "a feed held the reader by a regular expression",
        f"{_CRAWL}::test_ghsa_cc65_the_time_a_feed_takes_grows_with_its_length_and_no_faster",
    ),
)
