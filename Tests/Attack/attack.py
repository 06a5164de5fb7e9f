# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Runs the parts of the attack, and prints what they found. Tests/Attack/run has the usage."""
import argparse
import atexit
import concurrent.futures
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback

import findings
import running
import seeds

# A part is a module with cases(attack), prepare(attack, part) and run_case(attack, part, case, prepared). All cases of
# a part receive its prepared data. Cases run in parallel.
import bounds
import cuts
import escapes
import links
import mutated
import pipes
import private
import settings
import simulators
import spellings
import values

PARTS = {"mutated": mutated, "cuts": cuts, "values": values, "escapes": escapes, "pipes": pipes, "links": links,
         "private": private, "settings": settings, "simulators": simulators, "bounds": bounds,
         "spellings": spellings}


class Attack:
    """The common state of all parts."""

    def __init__(self, options, work):
        self.seed, self.options, self.work = options.seed, options, work
        self.tool = running.Tool(options.tool, work)
        self._seeds = None

    @property
    def seeds(self):
        """Small recordings of every format."""
        if self._seeds is None:
            self._seeds = seeds.make(self.tool, os.path.join(self.work, "seeds"))
        return self._seeds


def main():
    options = arguments()
    work = tempfile.mkdtemp(prefix="attack-")
    # Other users may enter the directory, because one part runs as another user.
    os.chmod(work, 0o711)
    atexit.register(running.kill_all)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    finished = []
    try:
        attack = Attack(options, work)
        attack.tool.measure()
        attack.seeds
        for name, only in options.only:
            finished.append(run_part(attack, name, only))
        report(attack, finished)
    finally:
        if not any(part.findings for part in finished):
            shutil.rmtree(work, ignore_errors=True)
    return 1 if any(part.findings for part in finished) else 0


def arguments():
    parser = argparse.ArgumentParser(prog="Tests/Attack/run")
    parser.add_argument("tool", nargs="?")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--parts", action="store_true")
    options = parser.parse_args()
    if options.parts:
        for name, module in PARTS.items():
            print(f"{name:12} {module.__doc__.splitlines()[0]}")
        sys.exit(0)
    if options.tool is None or not os.access(options.tool, os.X_OK) or os.path.isdir(options.tool):
        parser.error("TOOL is the path of a sensorctl that was built.")
    chosen = [word.partition(":") for word in options.only.split(",")]
    unknown = [name for name, _, _ in chosen if name not in PARTS]
    if unknown:
        parser.error(f"Unknown part: {', '.join(unknown)}. --parts lists the parts.")
    options.only = [(name, number) for name, _, number in chosen]
    return options


def run_part(attack, name, only):
    module = PARTS[name]
    part = findings.Part(name, attack.work, attack.seed)
    # Printed before the run, to show progress.
    print(f"{name} ...", end=" ", flush=True)

    def run_case(case):
        try:
            module.run_case(attack, part, case, prepared)
        except Exception:  # An error of this program has to be visible, but must not end the other cases.
            part.find(case, "the attack raised an exception: " + traceback.format_exc(limit=-3))

    try:
        prepared = module.prepare(attack, part)
        cases = [case for case in module.cases(attack) if only in ("", str(case))]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for _ in pool.map(run_case, cases):
                pass
    except findings.Impossible as reason:
        part.skip(name, str(reason))
    part.finish()
    print(f"{part.runs} runs, {len(part.findings)} findings, {part.seconds:.0f} s", flush=True)
    return part


def report(attack, parts):
    for part in parts:
        for case, what, command, output in sorted(part.findings, key=lambda found: (found[1], found[0])):
            print(f"\n{part.name}:{case}  {what}")
            for line in output:
                print(f"    | {line}")
            if command:
                print(f"    {command}")
            print(f"    repeat: Tests/Attack/run {attack.options.tool} --seed {attack.seed} --only '{part.name}:{case}'")
    print(f"\n{'part':12} {'runs':>6} {'findings':>9} {'seconds':>8} {'MiB':>5}  exit statuses")
    for part in parts:
        ends = ", ".join(f"{end}: {count}" for end, count in sorted(part.ends.items()))
        print(f"{part.name:12} {part.runs:6} {len(part.findings):9} {part.seconds:8.1f} {part.peak >> 10:5}  {ends}")
    for part in parts:
        for reason in part.skipped:
            print(f"Skipped: {reason}")
    total = sum(len(part.findings) for part in parts)
    print(f"Seed {attack.seed}. " + (f"{total} findings; their files are in {attack.work}" if total else "No findings."))


if __name__ == "__main__":
    sys.exit(main())
