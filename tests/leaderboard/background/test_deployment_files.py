"""The deployment files start the service, confine it, keep no secret, and hide keys in addresses."""

import json
import re
import subprocess
from contextlib import closing
from graphlib import TopologicalSorter
from http.client import HTTPConnection
from itertools import count, product
from urllib.parse import urlsplit

import pytest
import requests
import yaml

from leaderboard.http.problems import MEDIA_TYPE, describe
from tests.support import nginx, processes
from tests.support.loopback import Loopback, ScriptedReply, free_port
from tests.support.paths import ROOT
from tests.support.processes import answers, environment, wait_for
from wardboard.scoring.reading.limits import MIB


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


def test_nginx_compresses_nothing(nginx_is_there, tmp_path):
    # It cannot tell which page has a secret; the service compresses what has none.
    page = ScriptedReply(headers={"Content-Type": "text/html"}, body=b"secret " * 1000)
    with (
        Loopback(page) as server,
        nginx.nginx_before(int(server.origin.rpartition(":")[2]), tmp_path / "nginx") as port,
    ):
        answer = requests.get(f"http://127.0.0.1:{port}/", timeout=10)
    assert (answer.content, answer.headers.get("Content-Encoding")) == (page.body, None)


SUBMISSION = "/api/v1/submissions/0190a0b0-0000-7000-8000-000000000000/"
TAKES_FILES = """
    /submit/ /submit/?benchmark=x /zh-hant/submit/ /benchmarks/x/submit/ /zh-hant/benchmarks/x/submit/
    //submit/ /%73ubmit/ /./submit/ /x/../submit/ /accounts/../submit/ /accounts%2f..%2fsubmit/ /submit/..
    /unknown/ /api/v1/submissions/ /api/v1/submissions/raw/ /api/v1/validations/ /api/v1//validations/raw/
    /organise/declaration/ /organise/boards/x/references/import/ /zh-hant/organise/boards/x/published/
"""
WAITS = [f"{SUBMISSION}?{query}" for query in ("wait=50", "a=1&wait=50", "%77ait=50", "wai%74=50")]
CHANGES = "POST", "PUT", "PATCH", "DELETE"
FOR_FILES = [*product(CHANGES, TAKES_FILES.split()), *product(("GET", "HEAD"), WAITS)]
SIGNS_IN = ["/accounts/login/", "/zh-hant/accounts/login/?next=/submit/", "/api/v1/device/token/"]
READS = ["/submit/", "/zh-hant/submit/", SUBMISSION, "/benchmarks/x/?wait=%20"]
FOR_PAGES = [*product(["POST"], SIGNS_IN), *product(("GET", "HEAD", "OPTIONS"), READS)]


def test_nginx_sends_what_may_bring_a_file_or_wait_for_a_score_to_the_pool_for_files(
    nginx_is_there, tmp_path
):
    def pool_of(method, path):
        with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
            connection.request(method, path, headers={nginx.SENT_FROM: f"2001:db8:{next(networks):x}::1"})
            return connection.getresponse().getheader("Pool", "none")

    networks = count()
    pages, files = (Loopback(ScriptedReply(headers={"Pool": pool})) for pool in ("pages", "files"))
    with pages, files:
        ports = {name: urlsplit(pool.url).port for name, pool in (("service", pages), ("files", files))}
        with nginx.nginx_before(folder=tmp_path / "nginx", **ports) as port:
            found = {each: pool_of(*each) for each in (*FOR_FILES, *FOR_PAGES)}
    assert found == dict.fromkeys(FOR_FILES, "files") | dict.fromkeys(FOR_PAGES, "pages")


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


# What the operator has to set; compose asks for it.
GIVEN = {
    "SECRET_KEY": "q8Zr1uXkT5vN0aLwE3yHs7Jd9GfCb2MpRtUoViWn4KxYzAeSQh6BgDlF",
    "POSTGRES_PASSWORD": "letters1",
    "ALLOWED_HOSTS": "127.0.0.1",
}

_VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


def interpolate(text: object) -> str:
    """Replace the variables as compose does. Raises KeyError for one that it demands."""

    def value(match: re.Match[str]) -> str:
        name, kind, default = match.groups()
        return GIVEN.get(name, default) if kind == "-" else GIVEN[name]

    return _VARIABLE.sub(value, str(text)).replace("$$", "$")


def words_of(service: dict) -> list[str]:
    """Return the command of a service: its own, or that of the image; Python's programs as modules."""
    command = service.get("command")
    if command is None:
        dockerfile = (ROOT / "Dockerfile").read_text()
        command = json.loads(re.search(r"^CMD (\[.*\])$", dockerfile, re.MULTILINE)[1])
    program, *rest = command if isinstance(command, list) else command.split()
    return rest if program == "python" else ["-m", program, *rest]


@pytest.mark.long
def test_the_services_of_compose_start_in_order_and_score_a_file(
    start, postgres, nginx_is_there, tmp_path, good_file
):
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    order = TopologicalSorter({name: service.get("depends_on", {}) for name, service in services.items()})
    ours = [name for name in order.static_order() if "build" in services[name]]
    assert ours[0] == "migrate"
    ports = {"web": free_port(), "web-files": free_port()}
    processes = []
    for name in ours:
        given = {key: interpolate(value) for key, value in services[name]["environment"].items()}
        assert given["DATABASE_URL"] == "postgres://wardboard:letters1@db:5432/wardboard"
        # The addresses of this machine in the place of those in the network of compose.
        given |= {"DATABASE_URL": postgres, "BIND": f"127.0.0.1:{ports.get(name, 1)}"}
        given["WARDBOARD_DATA"] = str(tmp_path)
        words = words_of(services[name])
        if services[name].get("restart") == "no":
            done = run(words, given)
            assert done.returncode == 0, done.stderr
            continue
        processes.append(start(*(words[1:] if words[0] == "-m" else words), **given))
    behind = {"service": ports["web"], "files": ports["web-files"]}
    with nginx.nginx_before(folder=tmp_path / "nginx", **behind) as port:
        # What is reached from outside.
        address = f"127.0.0.1:{port}"
        loaded = run(["manage.py", "load_demo", "--address", f"http://{address}"], given)
        assert loaded.returncode == 0, loaded.stderr
        token = json.loads((tmp_path / "demo-account.json").read_text())["token"]
        api = f"http://{address}/api/v1"

        wait_for(lambda: answers(f"http://{address}"))
        headers = {"Authorization": f"Bearer {token}"}
        facts = {"benchmark": "medagentbench-demo", "system": "Compose", "models": "m", "publish": "true"}
        sent = requests.post(
            f"{api}/submissions/",
            headers=headers,
            data=facts,
            files={"file": ("good.json", good_file + b" ")},
            timeout=60,
        )
        assert sent.status_code in (201, 202), sent.text
        url = f"http://{address}{sent.json()['url']}"

        def result() -> dict | None:
            return requests.get(url, headers=headers, timeout=60).json()["result"]

        assert wait_for(result)["score"] == pytest.approx(47 / 50)
        assert all(process.poll() is None for process in processes)
        # The workers of all lanes have given signs of life.
        wait_for(lambda: requests.get(f"http://{address}/readyz", timeout=60).status_code == 200)


def run(words: list[str], given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return processes.run(*words, env=environment(**given), timeout=300)
