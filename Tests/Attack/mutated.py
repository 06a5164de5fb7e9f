# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Damaged recordings of every format, through every command that reads them."""
import os
import random
import shutil

import mutations
import plausible
import verbs
from findings import unlike

# Numbers of this size take long to write and to parse in any program.
READ = 4 << 20


def cases(attack):
    return range(attack.options.runs)


def prepare(attack, part):
    seeds = attack.seeds
    files = [open_bytes(os.path.join(seed.path, name) if name else seed.path)
             for seed in seeds for name in seed.files() if os.path.isfile(os.path.join(seed.path, name) if name else seed.path)]
    whole = next(seed.path for seed in seeds if seed.name == "whole.trace")
    return files, whole


def open_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def run_case(attack, part, number, prepared):
    """Damages one file according to the case number, runs one command on it, and checks the result."""
    files, whole = prepared
    chance = random.Random(f"{attack.seed} mutated {number}")
    seed = chance.choice(attack.seeds)
    folder = part.place(number)
    path = seed.copy(folder)
    inside = [name for name in seed.files() if os.path.isfile(os.path.join(path, name))] if seed.is_folder else [""]
    target = os.path.join(path, chance.choice(inside)) if seed.is_folder else path
    data, _ = mutations.damage(chance, open_bytes(target), chance.choice(files))
    with open(target, "wb") as file:
        file.write(data)
    use = verbs.choose(chance, seed, path, folder, whole)
    settings = {"DEVICE_SERVICES_CONFIG": path} if seed.use == "configuration" else None
    result = attack.tool.run(use.arguments, settings=settings)
    good = part.judge(number, result, is_data=use.kind not in (None, "json"))
    good &= _output(attack, part, number, use, result, folder, path)
    if open_bytes(target) != data:
        good = bool(part.find(number, "overwrote its input", result))
    if good:
        shutil.rmtree(folder, ignore_errors=True)


def _output(attack, part, number, use, result, folder, path):
    """Checks the output."""
    if result.status is None:
        return False
    written = [name for name in unlike(folder, [os.path.basename(path)])]
    if result.status != 0 and written:
        part.find(number, f"failed without removing {', '.join(written)}", result)
        return False
    if result.status == 0 and use.output and written != [os.path.basename(use.output)]:
        # A command without readable events has nothing to write, which is an error.
        part.find(number, f"ended with 0 and wrote {', '.join(written) or 'nothing'}", result)
        return False
    if result.status != 0 or not use.kind:
        return True
    if use.output is None:
        data = result.out
    elif os.path.isfile(use.output) and os.path.getsize(use.output) <= READ:
        data = open_bytes(use.output)
    else:
        return True
    found = plausible.wrong(use.kind, data) if len(data) <= READ else None
    if found:
        part.find(number, f"the output {found}", result, b"" if use.output else data[:500])
        return False
    return True
