#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Prints the packages that a program needs, in the format of a Depends line.

    Packaging/find_depends.py PROGRAM

Does the work of dpkg-shlibdeps, also for programs of other architectures: it does not need their libraries, only the
libraries of the same names on this machine. The symbols files of dpkg contain the package release in which a version of a
library was introduced. Tests/Packages/run compares the two programs.
"""
import glob
import re
import subprocess
import sys

# Versions of the C++ library that Debian 12 does not contain yet, with the GCC release that introduced them. Source:
# the documentation of libstdc++, "ABI Policy and Guidelines".
NEWER = {"GLIBCXX_3.4.31": "13.1", "GLIBCXX_3.4.32": "13.2", "GLIBCXX_3.4.33": "14", "GLIBCXX_3.4.34": "15",
         "CXXABI_1.3.14": "13.1", "CXXABI_1.3.15": "14", "CXXABI_1.3.16": "15"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def known_libraries(kind):
    """Returns the library metadata of installed packages, except for cross compilers."""
    return [read(path) for path in glob.glob(f"/var/lib/dpkg/info/*.{kind}") if not path.endswith(f"-cross.{kind}")]


def readelf(option, program):
    return subprocess.run(["readelf", "--wide", option, program], check=True, capture_output=True, text=True,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def compared(version):
    """Returns a version of a library as numbers."""
    return [int(part) for part in re.findall(r"\d+", version)]


def main():
    program, = sys.argv[1:]
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", program))
    # The required versions, by library.
    versions = {}
    for line in readelf("-V", program).splitlines():
        if match := re.search(r"File: (\S+)", line):
            library = match.group(1)
        elif match := re.search(r"Name: (\S+)\s+Flags", line):
            versions.setdefault(library, []).append(match.group(1))
    symbols = {}
    for text in known_libraries("symbols"):
        for part in re.split(r"^(?=\S+\.so)", text, flags=re.M):
            if match := re.match(r"(\S+) (\S+) #MINVER#", part):
                symbols[match.group(1)] = (match.group(2), part)
    least = {}
    for library in needed:
        # The dynamic linker is part of the C library.
        if library.startswith("ld-linux"):
            continue
        if library in symbols:
            package, text = symbols[library]
            known = NEWER | dict(re.findall(r"^ (\S+)@\1 (\S+)", text, re.M))
            for version in versions.get(library, []):
                # The versions of the C library and of GCC contain the release.
                number = known.get(version) or (re.match(r"(?:GLIBC|GCC)_(\d[\d.]*)$", version) or [None, None])[1]
                if not number:
                    sys.exit(f"{version} of {library} is newer than the {package} of this machine.")
                least.setdefault(package, []).append(number)
            continue
        # Libraries without symbol versions have one line for the whole library.
        name, _, number = re.match(r"(.*?)(\.so\.|-)([\w.]+?)(\.so)?$", library).groups()[:3]
        for text in known_libraries("shlibs"):
            if match := re.search(rf"^{re.escape(name)} {re.escape(number)} (\S+)(?: \(>= (\S+)\))?$", text, re.M):
                least.setdefault(match.group(1), []).extend(filter(None, [match.group(2)]))
                break
        else:
            sys.exit(f"No installed package has {library}: install the one that has, and try again.")
    print(", ".join(f"{package} (>= {max(wanted, key=compared)})" if wanted else package
                    for package, wanted in sorted(least.items())))


if __name__ == "__main__":
    main()
