"""The deployment files and the documents for operators agree with the code."""

import json
import re
import shutil
import subprocess
from http.client import HTTPConnection
from ipaddress import ip_address

import msgspec
import pytest
import yaml
from django.urls import reverse

from leaderboard import env, gunicorn
from leaderboard.http.problems import MEDIA_TYPE, describe
from leaderboard.networks import network_of
from leaderboard.services.engine import Lane
from tests.support import nginx
from tests.support.paths import ROOT
from tests.support.processes import wait_for
from wardboard.scoring import registry
from wardboard.scoring.reading.limits import MIB

READ = re.compile(r'env\.\w+\(\s*"([A-Z0-9_]+)"')
NUMBER = re.compile(r'env\.number\(\s*"([A-Z0-9_]+)",\s*([\d_]+)[,)]')
ROW = re.compile(r"^\| `([A-Z0-9_]+)` \| ([^|]*) \|", re.MULTILINE)


@pytest.fixture(scope="module")
def sources():
    return "\n".join(path.read_text() for path in (ROOT / "leaderboard").rglob("*.py"))


@pytest.fixture(scope="module")
def read_by_the_code(sources):
    return set(READ.findall(sources))


@pytest.fixture(scope="module")
def documented():
    return dict(ROW.findall((ROOT / "docs" / "operators-settings.md").read_text()))


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def test_every_variable_that_is_read_is_documented_and_no_other(read_by_the_code, documented):
    assert read_by_the_code == set(documented)


def test_there_are_few_variables(documented):
    # Each is a choice for operators: another one takes the place of one of these.
    assert len(documented) <= 60


def test_documented_numbers_are_those_of_the_code(sources, documented):
    numbers = {name: default.replace("_", "") for name, default in NUMBER.findall(sources)}
    assert len(numbers) > 3
    assert numbers == {name: documented[name].split()[0] for name in numbers}


def test_only_the_settings_and_gunicorns_read_the_environment():
    readers = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "leaderboard").rglob("*.py")
        if re.search(r"os\.environ\[|os\.environ\.get|getenv", path.read_text())
    }
    assert readers == {"leaderboard/env.py"}


# The image sets the first; nobody deploys with the others.
NOT_PASSED = {"BIND", "DEBUG", "DEMO", "PORT"}


def test_compose_passes_every_documented_variable_and_no_other(compose, documented):
    environment = compose["services"]["web"]["environment"]
    read_by_boto3 = {name for name in environment if name.startswith("AWS_")}
    assert set(environment) - read_by_boto3 == set(documented) - NOT_PASSED
    # An empty region would be one; without a value, compose passes on what is set.
    assert {environment[name] for name in read_by_boto3} == {None}
    assert compose["services"]["worker"]["environment"] == environment


def test_an_empty_variable_counts_as_not_set_because_compose_passes_those(monkeypatch):
    monkeypatch.setenv("EMPTY", "")
    assert env.flag("EMPTY", default=True) is True
    assert env.text("EMPTY", "60/min") == "60/min"
    assert env.words("EMPTY", "a,b") == ["a", "b"]
    assert env.number("EMPTY", 4) == 4
    assert env.amount("EMPTY") is None
    monkeypatch.setenv("EMPTY", "0")
    assert env.flag("EMPTY", default=True) is False


def test_compose_lets_the_web_server_and_the_worker_see_the_same_files(compose):
    (folder,) = {service["environment"]["WARDBOARD_DATA"] for service in ours(compose)}
    for service in ours(compose):
        assert service["volumes"] == [f"data:{folder}"]
    assert "data" in compose["volumes"]


def test_compose_has_four_services_that_stay(compose):
    staying = {name for name, service in compose["services"].items() if service.get("restart") != "no"}
    assert staying == {"proxy", "web", "worker", "db"}
    assert compose["services"]["worker"]["command"] == ["python", "manage.py", "worker"]


def test_every_container_of_compose_is_confined(compose):
    services = compose["services"]
    for service in services.values():
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["pids_limit"] > 0
        assert set(service["logging"]["options"]) == {"max-size", "max-file"}
    assert {name for name, service in services.items() if "cap_add" in service} == {"proxy"}
    assert {name for name, service in services.items() if "mem_limit" not in service} == {"migrate"}


def test_containers_and_units_get_the_time_that_gunicorn_needs_to_stop(compose):
    (seconds,) = unit("wardboard.service")["TimeoutStopSec"]
    assert int(seconds) > gunicorn.graceful_timeout
    assert compose["services"]["web"]["stop_grace_period"] == f"{seconds}s"


def ours(compose) -> list[dict]:
    return [compose["services"][name] for name in ("migrate", "web", "worker")]


def test_compose_passes_every_setting_of_the_judge_and_keeps_its_defaults(
    compose, read_by_the_code, documented
):
    environment = compose["services"]["worker"]["environment"]
    judges = {name for name in read_by_the_code if name.startswith("JUDGE_")}
    assert len(judges) > 1
    assert {name for name in environment if name.startswith("JUDGE_")} == judges
    # An empty JUDGE_MODEL would be a name; other empty variables count as not set.
    assert environment["JUDGE_MODEL"] == f"${{JUDGE_MODEL:-{documented['JUDGE_MODEL'].strip('`')}}}"
    assert all(environment[name] == f"${{{name}:-}}" for name in judges - {"JUDGE_MODEL"})


def test_the_image_keeps_its_data_in_the_volume_and_its_static_files_out_of_it():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "VOLUME /data\n" in dockerfile
    assert "-o wardboard -g wardboard /data" in dockerfile
    assert "WARDBOARD_DATA=/data" in dockerfile
    # settings/pages.py takes this folder where it is there.
    assert dockerfile.index("RUN mkdir static\n") < dockerfile.index("manage.py collectstatic")


def test_the_limits_of_each_benchmark_are_documented():
    text = (ROOT / "docs" / "operators-uploads.md").read_text()
    assert len(registry.BENCHMARKS) > 1
    for benchmark in registry.BENCHMARKS.values():
        found = benchmark.limits
        sizes = (found.body_bytes, found.unpacked_bytes, found.document_bytes, found.log_bytes)
        limits = [
            f"{size // MIB} MiB" if size < 1024 * MIB else f"{size // MIB // 1024} GiB" for size in sizes
        ]
        row = f"| {benchmark.title} | {limits[0]} | {limits[1]} |"
        if benchmark.slug == "medagentbench":
            log = "for a log of inspect_ai"
            row = f"| {benchmark.title} | {limits[2]}; {limits[0]} {log} | {limits[1]}; {limits[3]} {log} |"
        assert row in text


def test_compose_has_no_secret_of_its_own_and_says_which_is_missing(compose):
    environment = compose["services"]["web"]["environment"]
    for name in ("SECRET_KEY", "ALLOWED_HOSTS"):
        assert environment[name].startswith(f"${{{name}:?set {name} ")
    password = "${POSTGRES_PASSWORD:?set POSTGRES_PASSWORD, letters and digits}"
    assert compose["services"]["db"]["environment"]["POSTGRES_PASSWORD"] == password
    assert f":{password}@" in environment["DATABASE_URL"]


def test_compose_migrates_before_serving_and_exposes_only_the_proxy(compose):
    completed = {"condition": "service_completed_successfully"}
    for name in ("web", "worker"):
        assert compose["services"][name]["depends_on"]["migrate"] == completed
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["proxy"]


def test_the_proxy_of_compose_runs_the_files_that_the_tests_run(compose):
    proxy = compose["services"]["proxy"]
    mounted = dict(volume.removesuffix(":ro").rsplit(":", 1) for volume in proxy["volumes"])
    assert mounted["./docs/deploy"] == "/etc/nginx/wardboard"
    (site,) = (source for source, target in mounted.items() if target == "/etc/nginx/conf.d/default.conf")
    assert site == "${PROXY_SITE:-./docs/deploy/nginx-compose.conf}"
    assert "web" in proxy["depends_on"]
    text = (DEPLOY / "nginx-compose.conf").read_text()
    assert "upstream wardboard { server web:8000; }" in text
    assert "BIND=0.0.0.0:8000" in (ROOT / "Dockerfile").read_text()
    # The service believes the proxy.
    assert compose["services"]["web"]["environment"]["BEHIND_PROXY"] == "${BEHIND_PROXY:-1}"


def test_the_image_copies_exactly_what_the_build_context_allows():
    dockerfile = (ROOT / "Dockerfile").read_text()
    copied = set(re.findall(r"^COPY (?!--from)(\S+)", dockerfile, re.MULTILINE))
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert copied
    assert {f"!{path}" for path in copied} == {line for line in ignored if line.startswith("!")}
    assert "*" in ignored
    assert all((ROOT / path).exists() for path in copied)


def test_the_image_runs_as_an_unprivileged_user_and_installs_locked_versions():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert dockerfile.index("USER 10001") < dockerfile.index("CMD [")
    assert "--require-hashes -r /tmp/requirements.lock" in dockerfile
    # The key that collectstatic needs is not set for the image.
    assert "SECRET_KEY" in dockerfile
    assert not re.search(r"^(ENV|ARG).*SECRET_KEY", dockerfile, re.MULTILINE)


DEPLOY = ROOT / "docs" / "deploy"
UNITS = ("wardboard.service", "wardboard-worker@.service", "wardboard-upgrade.service")


def unit(name: str) -> dict[str, list[str]]:
    """Return the values of each key of a systemd unit."""
    values: dict[str, list[str]] = {}
    for line in (DEPLOY / name).read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            values.setdefault(key, []).append(value)
    return values


def test_the_units_run_what_the_image_runs(compose):
    (web,) = unit("wardboard.service")["ExecStart"]
    dockerfile = (ROOT / "Dockerfile").read_text()
    command = json.loads(re.search(r"^CMD (\[.*\])$", dockerfile, re.MULTILINE)[1])
    assert web.split()[1:] == [word for word in command[1:] if word not in ("--worker-tmp-dir", "/dev/shm")]
    (worker,) = unit("wardboard-worker@.service")["ExecStart"]
    assert worker.split("bin/")[1] == "python manage.py worker --lanes %i"
    enabled = re.findall(r"wardboard-worker@(\S+)", (ROOT / "docs" / "operators-start.md").read_text())
    assert sorted(enabled) == sorted(Lane)


def test_the_units_have_the_same_user_folder_and_settings():
    web = unit("wardboard.service")
    for name in UNITS:
        for key in ("User", "WorkingDirectory", "EnvironmentFile", "StateDirectory", "UMask"):
            assert unit(name)[key] == web[key]


def test_a_restart_changes_no_tables_and_stops_no_other_unit():
    (step,) = {name for name in UNITS if "manage.py migrate" in (DEPLOY / name).read_text()}
    assert [line.split("manage.py ")[1] for line in unit(step)["ExecStart"]] == [
        "migrate --noinput",
        "collectstatic --noinput",
    ]
    required = {name: unit(name)["Requires"] for name in UNITS if "Requires" in unit(name)}
    assert required == {"wardboard.service": ["wardboard.socket"]}
    assert unit("wardboard.socket")["ListenStream"] == ["127.0.0.1:8000"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze")
@pytest.mark.parametrize("name", [*UNITS, "wardboard.socket"])
def test_systemd_knows_every_key_of_the_units(name, tmp_path):
    for path in [*DEPLOY.glob("*.service"), *DEPLOY.glob("*.socket")]:
        # The programs are not where the unit says, which systemd would name first.
        text = re.sub(r"=/opt/wardboard/\.venv/bin/\w+", "=/bin/true", path.read_text())
        instance = path.name.replace("@", "@long")
        (tmp_path / instance).write_text(text.replace("/opt/wardboard", "/"))
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--recursive-errors=no", tmp_path / name.replace("@", "@long")],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert verified.returncode == 0, verified.stderr
    assert "Unknown" not in verified.stderr


def test_the_settings_of_the_units_are_documented_and_hold_no_secret(documented):
    lines = [x for x in (DEPLOY / "wardboard.env").read_text().splitlines() if x and not x.startswith("#")]
    values = dict(line.split("=", 1) for line in lines)
    assert set(values) <= set(documented)
    assert values["SECRET_KEY"] == values["EMAIL_PASSWORD"] == ""
    assert values["WARDBOARD_DATA"] == f"/var/lib/{unit('wardboard.service')['StateDirectory'][0]}"


SERVICE = DEPLOY / "nginx-service.conf"


def test_nginx_takes_the_largest_file_and_says_itself_who_the_client_is():
    text = SERVICE.read_text()
    largest = max(benchmark.limits.body_bytes for benchmark in registry.BENCHMARKS.values()) // MIB
    assert f"client_max_body_size {largest + 1}m;" in text
    assert f"client_max_body_size {largest + 1}m;" in (ROOT / "docs" / "operators-proxy.md").read_text()
    # For each request, and for the question who sends it.
    assert text.count("proxy_set_header X-Forwarded-For $remote_addr;") == 2
    assert text.count("proxy_set_header X-Forwarded-Proto $scheme;") == 2
    assert text.count("proxy_set_header Host $host;") == 2


@pytest.mark.parametrize("site", ["nginx.conf", "nginx-compose.conf"])
def test_nginx_accepts_the_files(nginx_is_there, closed_port, tmp_path, site):
    command = nginx.nginx_command(tmp_path / "nginx", port=closed_port, service=1, site=site)
    checked = subprocess.run([*command, "-t"], check=False, capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stderr


def test_what_nginx_refuses_itself_on_the_api_is_a_problem_of_ours():
    text = SERVICE.read_text()
    documents = {
        int(status): json.loads(body) for status, body in re.findall(r"return (\d+) '({.*})';", text)
    }
    assert set(documents) == {401, 413, 429, 503}
    for status, document in documents.items():
        described = msgspec.to_builtins(describe(document["code"]))
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

    def ask_(path, method="GET", **headers):
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type"), answer.read(), answer.headers
        finally:
            connection.close()

    with nginx.nginx_before(1, tmp_path / "nginx") as port:
        yield ask_


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
    assert "GET /benchmarks/demo/?sort=score HTTP/1.1" in lines[-1]


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


def test_the_networks_of_nginx_are_those_of_the_service():
    text = (DEPLOY / "nginx-limits.conf").read_text()
    (pattern,) = re.findall(r'"~(.*)"\s+\$wardboard_network;', text)
    network = re.compile(pattern.replace("(?<wardboard", "(?P<wardboard").encode())
    for address in ("192.0.2.1", "::ffff:192.0.2.1", "2001:db8:1:1:5::7", "2001:db8:a0a:a0a:0:a0a::a", "::1"):
        parsed = ip_address(address)
        found = network.search(parsed.packed)
        if found is None:
            assert ":" not in network_of(address)
        else:
            assert found["wardboard_network"] + bytes(8) == ip_address(network_of(address)).packed


def test_the_checks_that_nginx_counts_are_at_their_addresses():
    text = (DEPLOY / "nginx-limits.conf").read_text()
    assert reverse("web:choose") == "/submit/"
    assert '"~^POST /(zh-hant/)?submit/"' in text
    assert reverse("api:validations") == "/api/v1/validations/"
    assert '"~^POST /api/v1/validations/"' in text
    assert reverse("api:me") == "/api/v1/me/"
    assert "proxy_pass http://wardboard/api/v1/me/;" in SERVICE.read_text()


def test_every_command_that_the_documents_name_exists():
    commands = {path.stem for path in (ROOT / "leaderboard" / "management" / "commands").glob("[a-z]*.py")}
    text = "\n".join(path.read_text() for path in (ROOT / "docs").glob("*.md"))
    named = set(re.findall(r"(?:`|^    |ARGS=\")manage (?=[a-z_]+[ `])([a-z_]+)", text, re.MULTILINE))
    assert {"backup", "restore", "move_database", "pair_uploads"} <= named
    assert named <= commands | {"createsuperuser", "collectstatic", "check"}
