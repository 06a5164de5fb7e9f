# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A configuration that is writable by others, contains duplicates or invalid text, or has no effect: it is reported."""
import os
import shutil

import hostile

# The contents of the file, and a word that the warning has to contain.
TEXTS = {
    "duplicate": ('{"position":{"source":"gpsd://127.0.0.1:1","source":"gpsd://127.0.0.1:2"}}', "source"),
    "duplicate-section": ('{"location":{"purpose":"a"},"location":{"purpose":"b"}}', "location"),
    "section": ('{"positon":{"source":"gpsd://127.0.0.1:1"}}', "positon"),
    "key": ('{"position":{"sorce":"gpsd://127.0.0.1:1"}}', "sorce"),
    "bytes": (b'{"location":{"purpose":"a\xff\xfeb"}}', ""), "bytes-key": (b'{"a\xff\xfeb":1}', ""),
    "nothing": ("", ""), "list": ("[]", ""), "number": ("1", ""), "deep": ("[" * 100_000, ""), "end": ('{"position":{', ""),
    "type": ('{"position":{"source":5}}', "source"), "twice": ('{"position":{}}{"position":{}}', ""),
}
# The mode and owner of the file and of its directory, which determine who may write it.
OWNERS = {"mode": (0o666, 0, 0o755, 0), "group": (0o664, 0, 0o755, 0), "owner": (0o644, 65534, 0o755, 0),
          "folder-mode": (0o644, 0, 0o777, 0), "folder-owner": (0o644, 0, 0o755, 65534)}
GOOD = '{"location":{"purpose":"a"}}\n'


def prepare(attack, part):
    if os.geteuid() != 0:
        part.skip("settings of another user", "only root can create a file of another user")
    return None


def cases(attack):
    return [*(f"text {name}" for name in TEXTS), *(f"good {name}" for name in ("file",)),
            *(f"owner {name}" for name in OWNERS if os.geteuid() == 0), "link nobody"]


def run_case(attack, part, case, _):
    folder = part.place(case.replace(" ", "-"))
    kind, _, name = case.partition(" ")
    path = os.path.join(folder, "settings.json")
    text, word = TEXTS.get(name, (GOOD, ""))
    hostile.write(path, text)
    os.chmod(path, 0o644)
    os.chmod(folder, 0o755)
    if kind == "owner":
        mode, owner, folder_mode, folder_owner = OWNERS[name]
        # A group whose only member is root does not count as others.
        os.chown(path, owner, 65534 if name == "group" else 0)
        os.chmod(path, mode)
        os.chown(folder, folder_owner, 0)
        os.chmod(folder, folder_mode)
    elif kind == "link":
        if os.geteuid() != 0:
            return
        os.rename(path, path + "-real")
        os.chown(path + "-real", 65534, 65534)
        os.symlink(path + "-real", path)
    before = len(part.findings)
    result = attack.tool.run(["list"], settings={"DEVICE_SERVICES_CONFIG": path})
    part.judge(case, result)
    lines = [line for line in result.err.decode(errors="replace").splitlines() if "device-services.configuration" in line]
    if kind == "good" and lines:
        part.find(case, "warned about a valid configuration of root", result)
    if kind != "good" and not any(word in line for line in lines):
        part.find(case, "printed no warning on standard error", result)
    if len(part.findings) == before:
        shutil.rmtree(folder, ignore_errors=True)
