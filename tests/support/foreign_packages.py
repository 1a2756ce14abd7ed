"""Wheels of strangers whose packages have the names of ours."""

import zipfile
from pathlib import Path


def make_wheel(folder: Path, name: str, files: dict[str, str]) -> Path:
    """Write a wheel of the distribution `name` 1.0 into `folder`. files: path -> source."""
    described = f"{name}-1.0.dist-info"
    files = files | {
        f"{described}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{described}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    listed = "".join(f"{path},,\n" for path in (*files, f"{described}/RECORD"))
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name_in_wheel, text in (files | {f"{described}/RECORD": listed}).items():
            archive.writestr(name_in_wheel, text)
    return path
