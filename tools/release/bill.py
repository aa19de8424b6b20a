"""The bill of materials of a release, SPDX 2.3 as JSON, on stdout: bill.py VERSION WORK OUT, called by tools/release/build."""

import datetime
import hashlib
import os
import pathlib
import sys
import tempfile
import zipfile

import parts
from debian.copyright import Copyright
from spdx_tools.spdx.model import (
    Actor,
    ActorType,
    Checksum,
    ChecksumAlgorithm,
    CreationInfo,
    Document,
    ExternalPackageRef,
    ExternalPackageRefCategory,
    Package,
    Relationship,
    RelationshipType,
    SpdxNoAssertion,
)
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
from spdx_tools.spdx.writer.json.json_writer import write_document_to_stream

NOWHERE = SpdxNoAssertion()


def package(name, version, purl, comment="", digest=""):
    return Package(
        spdx_id="SPDXRef-" + "".join(c if c.isalnum() or c in ".-" else "-" for c in f"{name}-{version}"),
        name=name,
        version=version,
        download_location=NOWHERE,
        files_analyzed=False,
        license_concluded=NOWHERE,
        license_declared=NOWHERE,
        license_comment=comment or None,
        copyright_text=NOWHERE,
        checksums=[Checksum(ChecksumAlgorithm.SHA256, digest)] if digest else [],
        external_references=[ExternalPackageRef(ExternalPackageRefCategory.PACKAGE_MANAGER, "purl", purl)] if purl else [],
    )


def licences(name):
    """The short names in the copyright file of a Debian package, where it is written for machines."""
    try:
        text = parts.copyright_file(name).read_text(encoding="utf-8")
        found = [p.license.synopsis for p in Copyright(text.splitlines(), strict=False).all_files_paragraphs() if p.license]
        return "Debian's copyright file names: " + ", ".join(sorted(set(found)))
    except Exception:  # an older file, for people only
        return "see Debian's copyright file"


def of_debian(name):
    version, architecture = parts.fact(name, "Version"), parts.fact(name, "Architecture")
    purl = f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch={architecture}&distro=bookworm"
    return package(name, version, purl, licences(name))


def in_wheel(wheel):
    """The Debian packages of the libraries in a wheel."""
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        return parts.carried(folder)


def main(version, work, out):
    made, packages, links = [], {}, []

    def add(holder, part, kind):
        packages[part.spdx_id] = part
        links.append(Relationship(holder.spdx_id, kind, part.spdx_id))

    for path in sorted(p for p in out.iterdir() if p.suffix in (".deb", ".gz", ".whl", ".html")):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        artefact = package(path.name, version, "", "MIT, and those of the parts", digest)
        made.append(artefact)
        if path.suffix == ".html":
            for name, (number, licence) in parts.of_page().items():
                add(
                    artefact,
                    package(name, number, f"pkg:npm/{name.replace('@', '%40')}@{number}", licence),
                    RelationshipType.CONTAINS,
                )
        for name in [] if path.suffix == ".html" else parts.COMPILED_IN:
            add(artefact, of_debian(name), RelationshipType.STATIC_LINK)
        carried = in_wheel(path) if path.suffix == ".whl" else parts.carried(work / path.name.removesuffix(".tar.gz") / "lib")
        for name in carried if path.suffix in (".gz", ".whl") else []:
            add(artefact, of_debian(name), RelationshipType.CONTAINS)
    when = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.UTC).replace(tzinfo=None)
    digest = hashlib.sha256("".join(c.value for a in made for c in a.checksums).encode()).hexdigest()
    document = Document(
        CreationInfo(
            spdx_version="SPDX-2.3",
            spdx_id="SPDXRef-DOCUMENT",
            name=f"gradproof-{version}",
            document_namespace=f"https://spdx.org/spdxdocs/gradproof-{version}-{digest[:16]}",
            creators=[Actor(ActorType.TOOL, "tools/release/bill.py")],
            created=when,
        ),
        packages=[*made, *packages.values()],
        relationships=[Relationship("SPDXRef-DOCUMENT", RelationshipType.DESCRIBES, a.spdx_id) for a in made] + links,
    )
    if wrong := validate_full_spdx_document(document):
        sys.exit("bill.py: " + "; ".join(w.validation_message for w in wrong))
    write_document_to_stream(document, sys.stdout)
    print(file=sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
