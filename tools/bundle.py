"""Pack what a machine without internet needs into one tar: python -m tools.bundle (`make bundle`).

docs/offline.md says what is in it and how it is installed. The wheels are for the system, the processor and
the Python with which this runs. Without --without-image, exits with 1 where the image cannot be built.
"""

# ruff: noqa: S603 (the commands are fixed)

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Mapping
from email import message_from_bytes
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import License
from cyclonedx.output.json import JsonV1Dot5
from packageurl import PackageURL

from wardboard.version import __version__

_ROOT = Path(__file__).resolve().parent.parent
_LOCK = "requirements/requirements.lock"
_FILES = ("compose.yaml", _LOCK)
# As compose.yaml names it.
_TAG = "localhost/wardboard:latest"
# How each program that builds images writes one to the file {path}, in the format that all of them load.
_SAVE = {
    "buildah": ("push", _TAG, f"docker-archive:{{path}}:{_TAG}"),
    "podman": ("save", "--output", "{path}", _TAG),
    "docker": ("save", "--output", "{path}", _TAG),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--without-image", action="store_true", help="pack the wheels, which suffice to serve"
    )
    is_without_image = parser.parse_args().without_image
    build = _ROOT / "build"
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    name = f"wardboard-{__version__}-{python}-{sysconfig.get_platform().replace('.', '_')}"
    folder = build / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if not is_without_image:
        # First, since it fails the most often.
        _write_image(folder / "image.tar")
    _collect_wheels(folder / "wheels")
    for path in _FILES:
        shutil.copy2(_ROOT / path, folder)
    shutil.copytree(_ROOT / "docs", folder / "docs")
    licences = {wheel: _licences(wheel) for wheel in sorted((folder / "wheels").glob("*.whl"))}
    (folder / "sbom.cdx.json").write_text(_bill_of_materials(licences))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = [f"{_sha256(path)}  {path.relative_to(folder)}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(sums))
    packed = build / f"{name}.tar"
    with tarfile.open(packed, "w") as archive:
        archive.add(folder, name)
    unlicensed = [wheel.name.split("-")[0] for wheel in licences if not licences[wheel]]
    print(f"These packages state no licence: {', '.join(unlicensed) or 'none'}")
    for file in sorted(files, key=lambda file: -file.stat().st_size)[:8]:
        print(f"{file.stat().st_size / 2**20:6.1f} MiB   {file.relative_to(folder)}")
    print(f"{packed}   {packed.stat().st_size / 2**20:.0f} MiB, {len(files)} files")


def _collect_wheels(folder: Path) -> None:
    """Download the wheels of the lock file, by their hashes, and build those of our two distributions."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    lock = ["--require-hashes", "--only-binary", ":all:", "--requirement", _LOCK]
    subprocess.run([*pip, "download", "--no-deps", *lock, "--dest", folder], cwd=_ROOT, check=True)
    own = ["--no-deps", "--no-build-isolation", ".", "./leaderboard"]
    subprocess.run([*pip, "wheel", *own, "--wheel-dir", folder], cwd=_ROOT, check=True)


def _write_image(path: Path) -> None:
    """Build the image and write it as an archive. Raises SystemExit with the reason where that fails."""
    builder = next(filter(shutil.which, _SAVE), None)
    if builder is None:
        reason = f"none of {', '.join(_SAVE)} is installed"
    else:
        base = os.environ.get("PYTHON_IMAGE")
        options = ["--build-arg", f"PYTHON_IMAGE={base}"] if base else []
        # Who has the image alone finds the release by it.
        options += ["--label", f"org.opencontainers.image.version={__version__}"]
        if builder != "docker":
            # An OCI image has no health check, for which compose.yaml waits.
            options += ["--format", "docker"]
        command = [builder, "build", *options, "--tag", _TAG, "."]
        built = subprocess.run(command, cwd=_ROOT, check=False, stderr=subprocess.PIPE, text=True)
        if not built.returncode:
            save = (word.format(path=path) for word in _SAVE[builder])
            subprocess.run([builder, *save], check=True)
            return
        reason = f"{builder} did not build it ({built.stderr.strip().splitlines()[-1]})"
    sys.exit(
        f"There is no bundle, since it would lack the image: {reason}.\n"
        "The wheels alone suffice to serve: make bundle ARGS=--without-image"
    )


def _licences(wheel: Path) -> list[License]:
    """Return the licences in the metadata of a wheel: an SPDX expression, a short text, or classifiers."""
    name, version = wheel.name.split("-")[:2]
    with zipfile.ZipFile(wheel) as archive:
        metadata = message_from_bytes(archive.read(f"{name}-{version}.dist-info/METADATA"))
    # Some packages have the whole text of their licence here.
    text = metadata.get("License", "").strip()
    stated = metadata.get("License-Expression") or (text if "\n" not in text and text != "UNKNOWN" else "")
    if stated:
        return [LicenseFactory().make_from_string(stated)]
    classifiers = [one for one in metadata.get_all("Classifier", []) if one.startswith("License :: ")]
    return [LicenseFactory().make_with_name(one.rpartition(" :: ")[2]) for one in classifiers]


def _bill_of_materials(licences: Mapping[Path, list[License]]) -> str:
    """Return the list of all packages with their digests and licences, in CycloneDX. licences: by wheel."""
    bom = Bom()
    for wheel, stated in licences.items():
        name, version = wheel.name.split("-")[:2]
        bom.components.add(
            Component(
                type=ComponentType.LIBRARY,
                name=name,
                version=version,
                purl=PackageURL("pypi", name=name.lower().replace("_", "-"), version=version),
                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=_sha256(wheel))],
                licenses=stated,
            )
        )
    own = next(stated for wheel, stated in licences.items() if wheel.name.startswith("wardboard-"))
    bom.metadata.component = product = Component(
        type=ComponentType.APPLICATION,
        name="Wardboard",
        version=__version__,
        # What SPDX writes where nothing is stated.
        licenses=own or [LicenseFactory().make_with_name("NOASSERTION")],
    )
    bom.register_dependency(product, bom.components)
    return JsonV1Dot5(bom).output_as_string(indent=1)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    main()
