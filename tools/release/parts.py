"""What a release is made of beside its own code, from the data of dpkg, pip and npm: names, versions, licences."""

import json
import pathlib
import re
import subprocess

# Header-only libraries whose code is compiled in.
COMPILED_IN = ["libxtensor-dev", "libxsimd-dev", "nlohmann-json3-dev", "libcli11-dev", "tao-pegtl-dev", "libfmt-dev"]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def dpkg(*arguments):
    return subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True, check=True).stdout


def package_of(library):
    """The Debian package that a shared library came from. auditwheel adds a hash to names: libzip-1a2b3c4d.so.4."""
    name = re.sub(r"-[0-9a-f]{8}(?=\.)", "", pathlib.Path(library).name)
    found = dpkg("-S", "*/" + name).splitlines()
    return sorted(line.split(":")[0] for line in found)[0]


def fact(package, field):
    return dpkg("-W", f"-f=${{{field}}}", package)


def copyright_file(package):
    return pathlib.Path("/usr/share/doc") / package / "copyright"


def carried(folder):
    """Packages of the shared libraries in a folder and below that are not gradproof's own."""
    files = [p for p in pathlib.Path(folder).rglob("*.so*") if p.is_file() and not p.is_symlink()]
    foreign = [p for p in files if not p.name.startswith(("libgradproof", "_core"))]
    return sorted({package_of(p) for p in foreign})


def of_page():
    """The packages of npm that the page is bundled of, as {name: (version, licence)}."""
    lock = json.loads((ROOT / "tools/web/package-lock.json").read_text())["packages"]
    return {
        name.removeprefix("node_modules/"): (facts["version"], facts.get("license", "NOASSERTION"))
        for name, facts in lock.items()
        if name and not facts.get("dev")
    }
