"""Pack what a machine without internet needs into one tar: python -m tools.bundle (`make bundle`).

docs/offline.md says what is in it and how it is installed. The wheels are for the system, the processor and
the Python with which this runs.
"""

# ruff: noqa: S603, S607 (the commands are fixed)

import hashlib
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot5
from packageurl import PackageURL

from wardboard.version import __version__

_ROOT = Path(__file__).resolve().parent.parent
_FILES = ("compose.yaml", "Dockerfile", "requirements.lock")


def main() -> None:
    build = _ROOT / "build"
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    name = f"wardboard-{__version__}-{python}-{sysconfig.get_platform().replace('.', '_')}"
    folder = build / name
    shutil.rmtree(folder, ignore_errors=True)
    _collect_wheels(folder / "wheels")
    for path in (*map(_ROOT.joinpath, _FILES), *(_ROOT / "docs").glob("*.md")):
        shutil.copy2(path, folder)
    shutil.copytree(_ROOT / "docs" / "deploy", folder / "deploy")
    _write_image(folder / "image.tar")
    (folder / "sbom.cdx.json").write_text(_bill_of_materials(folder / "wheels"))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = [f"{_sha256(path)}  {path.relative_to(folder)}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(sums))
    packed = build / f"{name}.tar"
    with tarfile.open(packed, "w") as archive:
        archive.add(folder, name)
    print(f"{packed}   {packed.stat().st_size / 2**20:.0f} MiB, {len(files)} files")


def _collect_wheels(folder: Path) -> None:
    """Download the wheels of the lock file, by their hashes, and build those of our two distributions."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    lock = ["--require-hashes", "--only-binary", ":all:", "--requirement", "requirements.lock"]
    subprocess.run([*pip, "download", "--no-deps", *lock, "--dest", folder], cwd=_ROOT, check=True)
    own = ["--no-deps", "--no-build-isolation", ".", "./leaderboard"]
    subprocess.run([*pip, "wheel", *own, "--wheel-dir", folder], cwd=_ROOT, check=True)


def _write_image(path: Path) -> None:
    """Build the image with buildah and write it as an archive; say so where there is no buildah."""
    if not shutil.which("buildah"):
        print("The image is left out: buildah is not installed. The wheels alone suffice to serve.")
        return
    tag = f"localhost/wardboard:{__version__}"
    subprocess.run(["buildah", "build", "--tag", tag, "."], cwd=_ROOT, check=True)
    subprocess.run(["buildah", "push", tag, f"docker-archive:{path}:{tag}"], cwd=_ROOT, check=True)


def _bill_of_materials(wheels: Path) -> str:
    """Return the list of all packages with their digests, in CycloneDX."""
    bom = Bom()
    for wheel in sorted(wheels.glob("*.whl")):
        name, version = wheel.name.split("-")[:2]
        bom.components.add(
            Component(
                type=ComponentType.LIBRARY,
                name=name,
                version=version,
                purl=PackageURL("pypi", name=name.lower().replace("_", "-"), version=version),
                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=_sha256(wheel))],
            )
        )
    return JsonV1Dot5(bom).output_as_string(indent=1)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    main()
