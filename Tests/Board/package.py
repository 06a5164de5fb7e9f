# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The Debian package on the board: its units, rules and grants, as scripts/package makes them."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "Packaging"
GRANTS = "/usr/share/sensorctl/grants"
UNITS = ("sensorctl-record", "sensorctl-black-box")


def install(board):
    """Installs the package except for manuals and completions. The board already has the program."""
    sandbox = (PACKAGING / "sandbox.conf").read_text()
    for unit in UNITS:
        text = (PACKAGING / f"{unit}.service").read_text()
        write(board, f"/usr/lib/systemd/system/{unit}.service", text.replace("[Install]", f"{sandbox}\n[Install]"))
    for grant in (PACKAGING / "grants").iterdir():
        write(board, f"{GRANTS}/{grant.name}", grant.read_text())
    for rules in (ROOT / "Sources/Accessories/UdevSource/udev").glob("*.rules"):
        write(board, f"/usr/lib/udev/rules.d/{rules.name}", rules.read_text())
    board.output("cp /opt/board/sensorctl /usr/bin/sensorctl && udevadm control --reload && systemctl daemon-reload")


def write(board, path, text):
    board.output(f"mkdir -p {path.rsplit('/', 1)[0]} && cat >{path} <<'END OF FILE'\n{text}\nEND OF FILE")


def grant(board, *names, unit="sensorctl-"):
    """Assigns exactly these grants to one unit or both. Does not restart any unit."""
    folder = f"/etc/systemd/system/{unit}.service.d"
    links = " ".join(f"{GRANTS}/{name}.conf" for name in names)
    link = f"&& ln -s {links} {folder}/" if names else ""
    board.output(f"rm -rf {folder} && mkdir {folder} {link} && systemctl daemon-reload")


def exposures():
    """Returns the exposure that docs/packages.md states, by grant."""
    rows = re.findall(r"^\| (.+?) \|.*\| ([0-9.]+) \|$", (ROOT / "docs/packages.md").read_text(), re.MULTILINE)
    return {name.strip("`").removesuffix(".conf"): float(value) for name, value in rows}
