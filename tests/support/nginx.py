"""Run nginx with the files of docs/deploy in front of a service on this machine. The bench does, too."""

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.loopback import free_port

DEPLOY = Path(__file__).resolve().parents[2] / "docs" / "deploy"
# Debian has it where only root looks for programs.
PROGRAM = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
# So that one machine can send requests from any address: nginx takes the address of who sends it from here.
SENT_FROM = "X-Sent-From"


def nginx_command(
    folder: Path,
    *,
    port: int,
    service: int,
    files: int | None = None,
    site: str = "nginx-compose.conf",
) -> list[str]:
    """Write the configuration into `folder`; return the command that runs nginx with it.

    port, service: on 127.0.0.1, where nginx listens and where the service does.
    files: where the pool of the service for files listens; None where there is one pool.
    site: the file that includes the others.
    """
    if PROGRAM is None:
        raise RuntimeError("no nginx: .ci/apt nginx")
    # Creates the folder, too.
    shutil.copytree(DEPLOY, folder / "wardboard", dirs_exist_ok=True)
    # There is no certificate here, and perhaps no IPv6.
    text = re.sub(r"ssl_certificate.*;|listen \[::\].*;", "", (DEPLOY / site).read_text())
    text = re.sub(r"127\.0\.0\.1:8001|web-files:8000", f"127.0.0.1:{files or service}", text)
    text = re.sub(r"(127\.0\.0\.1|web):8000", f"127.0.0.1:{service}", text)
    for file in (folder / "wardboard").glob("*.conf"):
        file.write_text(file.read_text().replace("/var/log/nginx/", f"{folder}/"))
    text = text.replace("/var/log/nginx/", f"{folder}/")
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port} default_server;")
    text = text.replace("listen 80;", f"listen 127.0.0.1:{port};")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in kinds)
    real = f"set_real_ip_from 127.0.0.1; real_ip_header {SENT_FROM};"
    main = f"worker_processes auto; pid {folder}/pid;" + (" user root;" if os.geteuid() == 0 else "")
    # Debian compresses pages unless a site says otherwise.
    config = folder / "nginx.conf"
    config.write_text(f"{main} events {{}} http {{ access_log off; gzip on; {paths} {real}\n{text} }}\n")
    return [PROGRAM, "-e", str(folder / "log"), "-c", str(config)]


@contextmanager
def nginx_before(service: int, folder: Path, files: int | None = None) -> Iterator[int]:
    """Run nginx in front of the service at port `service`; yield the port at which it listens."""
    port = free_port()
    command = nginx_command(folder, port=port, service=service, files=files)
    process = subprocess.Popen([*command, "-g", "daemon off;"])
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        else:
            raise RuntimeError((folder / "log").read_text())
        yield port
    finally:
        process.terminate()
        process.wait()
