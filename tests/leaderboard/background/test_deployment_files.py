"""The deployment files confine what they start, keep no secret, and hide keys in addresses."""

import json
import re
import subprocess
from http.client import HTTPConnection

import pytest
import yaml

from leaderboard.http.problems import MEDIA_TYPE, describe
from tests.support import nginx
from tests.support.paths import ROOT
from tests.support.processes import wait_for
from wardboard.scoring.reading.limits import MIB

READ = re.compile(r'env\.\w+\(\s*"([A-Z0-9_]+)"')
ROW = re.compile(r"^\| `([A-Z0-9_]+)` \| ([^|]*) \|", re.MULTILINE)


def test_every_variable_that_is_read_is_documented_and_no_other():
    documented = dict(ROW.findall((ROOT / "docs" / "operators-settings.md").read_text()))
    sources = "\n".join(path.read_text() for path in (ROOT / "leaderboard").rglob("*.py"))
    assert set(READ.findall(sources)) == set(documented)


def test_compose_confines_each_container_exposes_the_proxy_alone_and_has_no_secret_of_its_own():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    for service in services.values():
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["pids_limit"] > 0
        assert set(service["logging"]["options"]) == {"max-size", "max-file"}
    assert {name for name, service in services.items() if "cap_add" in service} == {"proxy"}
    assert {name for name, service in services.items() if "mem_limit" not in service} == {"migrate"}
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    environment = services["web"]["environment"]
    for name in ("SECRET_KEY", "ALLOWED_HOSTS"):
        assert environment[name].startswith(f"${{{name}:?set {name} ")
    password = "${POSTGRES_PASSWORD:?set POSTGRES_PASSWORD, letters and digits}"
    assert services["db"]["environment"]["POSTGRES_PASSWORD"] == password
    assert f":{password}@" in environment["DATABASE_URL"]


DEPLOY = ROOT / "docs" / "deploy"


@pytest.mark.parametrize("site", ["nginx.conf", "nginx-compose.conf"])
def test_nginx_accepts_the_files(nginx_is_there, closed_port, tmp_path, site):
    command = nginx.nginx_command(tmp_path / "nginx", port=closed_port, service=1, site=site)
    checked = subprocess.run([*command, "-t"], check=False, capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stderr


def test_what_nginx_refuses_itself_on_the_api_is_a_problem_of_ours():
    text = (DEPLOY / "nginx-service.conf").read_text()
    documents = {
        int(status): json.loads(body) for status, body in re.findall(r"return (\d+) '({.*})';", text)
    }
    assert set(documents) == {401, 413, 429, 503}
    for status, document in documents.items():
        described = describe(document["code"])
        assert described["status"] == status
        assert {key: document[key] for key in described} == described
        assert set(document) - set(described) == {"detail", "instance"}
    assert text.count(f"default_type {MEDIA_TYPE};") == len(documents)


@pytest.fixture
def nginx_is_there():
    if not nginx.PROGRAM:
        pytest.skip("no nginx: .ci/apt nginx")


@pytest.fixture
def ask(nginx_is_there, tmp_path):
    """Run nginx before a service that is down, and return what sends it a request.

    It returns status, type, body and headers.
    """

    def ask(path, method="GET", **headers):
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type"), answer.read(), answer.headers
        finally:
            connection.close()

    with nginx.nginx_before(1, tmp_path / "nginx") as port:
        yield ask


def test_nginx_answers_clients_of_the_api_with_problems_and_readers_with_pages(ask):
    status, kind, body, headers = ask('/api/v1/bench"marks/?a="')
    assert (status, kind, headers["Retry-After"]) == (503, MEDIA_TYPE, "5")
    assert json.loads(body)["instance"] == "/api/v1/bench"
    status, kind, body, _ = ask("/api/v1/submissions/", "POST", **{"Content-Length": str(2000 * MIB)})
    assert (status, kind, json.loads(body)["code"]) == (413, MEDIA_TYPE, "file.too-large")
    assert json.loads(body)["instance"] == "/api/v1/submissions/"
    answers = [ask("/api/v1/validations/", "POST", **{"Content-Length": "0"}) for _ in range(13)]
    assert {(status, kind) for status, kind, *_ in answers} == {(503, MEDIA_TYPE), (429, MEDIA_TYPE)}
    status, kind, _, headers = ask("/")
    assert (status, kind, headers["Retry-After"]) == (503, "text/html; charset=utf-8", "5")


KEYS_IN_ADDRESSES = [
    "/accounts/password/reset/key/3-c9abcdef/",
    "/zh-hant/accounts/password/reset/key/3-c9abcdef/?x=1",
    "/accounts/confirm-email/MQ:c9abcdef:x/",
    "/account/emails/off/c9abcdef/",
    "/teams/join/c9abcdef/?next=/",
    "/accounts/login/?next=/teams/join/c9abcdef/",
    "/accounts/login/?next=%2Fteams%2Fjoin%2Fc9abcdef%2F",
    "/review/c9abcdef/",
    "/accounts/github/login/callback/?code=c9abcdef&state=c9abcdef",
]


def test_the_access_log_has_no_address_that_is_a_key(ask, tmp_path):
    for address in KEYS_IN_ADDRESSES:
        ask(address)
        ask("/about/", Referer=f"https://board.example.org{address}")
    ask("/benchmarks/demo/?sort=score")
    log = tmp_path / "nginx" / "access.log"
    lines = wait_for(lambda: len(lines := log.read_text().splitlines()) == 19 and lines)
    assert "c9abcdef" not in log.read_text()
    assert sum("[hidden]" in line for line in lines) == 18
    # Processes of nginx write a line each when they have answered, in whatever order.
    assert sum("GET /benchmarks/demo/?sort=score HTTP/1.1" in line for line in lines) == 1


# Each with another one that counts on its own.
@pytest.mark.parametrize(
    ("senders", "other"),
    [
        ([f"2001:db8:1:1:{number:x}::7" for number in range(13)], "2001:db8:1:2::7"),
        ([f"2001:db8:a0a:a0a:{number:x}::a" for number in range(13)], "2001:db8:a0a:a0b::a"),
        (["192.0.2.1"] * 13, "192.0.2.2"),
        (["::ffff:192.0.2.3"] * 13, "::ffff:192.0.2.4"),
    ],
)
def test_nginx_counts_addresses_of_one_network_as_one(ask, senders, other):
    def check_from(address):
        return ask("/submit/", "POST", **{"Content-Length": "0", nginx.SENT_FROM: address})[0]

    assert {check_from(address) for address in senders} == {429, 503}
    assert check_from(other) == 503
