# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The results: readings by their numbers, the resources that the program holds, and weeks in virtual time."""
import collections
import json
import subprocess

from servers import RATE
from slopes import grows, lasting

# The lower limit, in bytes, of a leak of one block per event.
LEAK = 8
# The system allocates memory in pages, several at a time. Growth up to this number of bytes is not a leak.
PAGES = 65536
# One page per simulated week, in bytes. The heap in use varies by several kilobytes, and the system adds up to thirty
# pages at a time until the sixtieth to ninetieth week.
WEEKLY, PAGES_WEEKLY = 4096, 4 * 4096


def told(table, servers, plug):
    """The losses and returns of all parts."""
    for server in servers:
        table.add(f"{server.kind} restarted", server.lives, "each loss told once, each return heard",
                  "; ".join(server.faults[:2]) or "so", not server.faults)
    table.add("accessory unplugged and back", plug.number, "each told once as connected and as gone, answers between",
              "; ".join(plug.faults[:2]) or f"{plug.told_once} so", plug.told_once == plug.number)


def readings(table, servers, state, stalled):
    """Compares the readings that left the servers with the received ones. Readings may be dropped only while the main
    thread is blocked."""
    held_up = sum(program.held_up for program in (servers[0].app, servers[0].programs)) / 1000
    for server in servers:
        for stream in server.streams:
            sums = collections.Counter()
            for run in server.sent:
                sums.update(server.app.runs.get((stream, run), {}))
            sent, dropped = sum(server.sent.values()), state[f"dropped-{stream}"]
            lost = sent - sums["heard"] - dropped
            # The samples of a sensor wait in the server for 0.5 s and leave it only if they are fetched. Missing
            # samples are not an error of the program if the machine did not schedule one of the processes.
            unfetched = max(0, sums["missing"] - dropped - max(0, lost))
            excused = min(unfetched, round(held_up * RATE[server.kind]))
            late = sums["repeated"] + sums["mistimed"]
            others = dropped - stalled[stream]
            table.add(f"readings: {stream}", sent, "at most 10^-6 lost, none late as new",
                      f"{sums['heard']} heard, {dropped} dropped and counted, {f'{others} of them in no stall, ' if others else ''}"
                      f"{lost} lost, {unfetched} not fetched in time"
                      f"{f' as the machine stood still for {held_up:.1f} s' if excused else ''}, "
                      f"{sums['repeated']} repeated, {sums['mistimed']} with another time",
                      lost >= 0 and lost + unfetched - excused <= sent * 1e-6 and late == 0
                      and others <= held_up * RATE[server.kind])


def left(table, samples, first, last):
    """Threads, descriptors and memory after the warm-up and at the end. A sample is the number of restarts and a
    state."""
    more = ", ".join(f"{count} {kind}" for kind, count in (last["files"] - first["files"]).items())
    for what, seen in (("threads", ""), ("descriptors", f", with {more} more" if more else "")):
        table.add(f"{what} at the end", 1, f"at most {first[what]}, as after the warm-up", f"{last[what]}{seen}",
                  last[what] <= first[what])
    # The last two thirds of the samples. In the first third, the process still allocates memory from the system.
    samples = samples[len(samples) // 3:]
    times = max(1, samples[-1][0] - samples[0][0])
    for what, least in (("heap", LEAK), ("resident", max(LEAK, PAGES / times))):
        if last[what] < 0:
            table.skip("memory: heap", "no C compiler, or the library cannot be put in")
            continue
        is_growing, found, error = grows([(done, state[what]) for done, state in samples], least)
        more = last[what] - first[what]
        # Values that are compared must be from the same sample.
        holds = not is_growing and (what == "resident" or more <= max(PAGES / 4, LEAK * times))
        table.add(f"memory: {what}", len(samples), f"bytes more a restart: 0, not beyond doubt above {least:.0f}",
                  f"{found:+.1f} ± {error:.1f}; {more:+} bytes since the warm-up", holds)


def weeks(table, program, environment, count):
    """Simulated weeks, in a separate process."""
    run = subprocess.run([program, "weeks", str(count)], env=environment, stdout=subprocess.PIPE, text=True, check=False)
    points = [json.loads(line) for line in run.stdout.splitlines()]
    if run.returncode or not points:
        return table.add("simulated weeks", count, "flat memory", f"ended with {run.returncode}", False)
    # In the first half, the process still allocates most of its memory from the system.
    kept = points[len(points) // 2:]
    weekly = {what: [(point["hours"] / 168, point[what]) for point in kept] for what in ("heap", "resident")}
    seen, holds = [], True
    if kept[0]["heap"] >= 0:
        is_growing, found, error = grows(weekly["heap"], WEEKLY)
        seen.append(f"heap {found:+.0f} ± {error:.0f}")
        holds = not is_growing
    found = lasting(weekly["resident"])
    seen.append(f"resident {found:+.0f}")
    holds = holds and found <= PAGES_WEEKLY
    return table.add("simulated weeks", count, f"bytes more a week: 0; heap not beyond doubt above {WEEKLY}, resident not above {PAGES_WEEKLY}",
                     f"{', '.join(seen)}; {points[-1]['locations']} fixes", holds)
