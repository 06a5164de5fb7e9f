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


def reports(table, servers, plug):
    """Adds rows for the reported losses and returns of all parts."""
    for server in servers:
        table.add(f"{server.kind} restarted", server.restarts, "each loss and return reported once",
                  "; ".join(server.faults[:2]) or "as expected", not server.faults)
    table.add("accessory unplugged and replugged", plug.number, "each reported once as connected, echoing and disconnected",
              "; ".join(plug.faults[:2]) or f"{plug.reported_once} as expected", plug.reported_once == plug.number)


def readings(table, servers, state, stalled):
    """Compares the sent readings with the received ones. Readings may be dropped only while the main thread is
    blocked."""
    unscheduled = sum(program.unscheduled for program in (servers[0].app, servers[0].programs)) / 1000
    for server in servers:
        for stream in server.streams:
            sums = collections.Counter()
            for run in server.sent:
                sums.update(server.app.runs.get((stream, run), {}))
            sent, dropped = sum(server.sent.values()), state[f"dropped-{stream}"]
            lost = sent - sums["received"] - dropped
            # The samples of a sensor wait in the server for 0.5 s and leave it only if they are fetched. Missing
            # samples are not an error of the program if the machine did not schedule one of the processes.
            unfetched = max(0, sums["missing"] - dropped - max(0, lost))
            excusable = min(unfetched, round(unscheduled * RATE[server.kind]))
            late = sums["repeated"] + sums["mistimed"]
            unexpected = dropped - stalled[stream]
            table.add(f"readings: {stream}", sent, "at most 10^-6 lost, none repeated or mistimed",
                      f"{sums['received']} received, {dropped} dropped and counted, {f'{unexpected} of them outside a stall, ' if unexpected else ''}"
                      f"{lost} lost, {unfetched} not fetched in time"
                      f"{f' because the machine did not schedule a process for {unscheduled:.1f} s' if excusable else ''}, "
                      f"{sums['repeated']} repeated, {sums['mistimed']} mistimed",
                      lost >= 0 and lost + unfetched - excusable <= sent * 1e-6 and late == 0
                      and unexpected <= unscheduled * RATE[server.kind])


def resources(table, samples, first, last):
    """Compares threads, descriptors and memory at the end with those after the warm-up. A sample is the number of
    restarts and a state."""
    more = ", ".join(f"{count} {kind}" for kind, count in (last["files"] - first["files"]).items())
    for what, details in (("threads", ""), ("descriptors", f", {more} added" if more else "")):
        table.add(f"{what} at the end", 1, f"at most {first[what]}, as after the warm-up", f"{last[what]}{details}",
                  last[what] <= first[what])
    # The last two thirds of the samples. In the first third, the process still allocates memory from the system.
    samples = samples[len(samples) // 3:]
    times = max(1, samples[-1][0] - samples[0][0])
    for what, minimum in (("heap", LEAK), ("resident", max(LEAK, PAGES / times))):
        if last[what] < 0:
            table.skip("memory: heap", "there is no C compiler, or the library cannot be preloaded")
            continue
        is_growing, found, error = grows([(done, state[what]) for done, state in samples], minimum)
        more = last[what] - first[what]
        # Values that are compared must be from the same sample.
        holds = not is_growing and (what == "resident" or more <= max(PAGES / 4, LEAK * times))
        table.add(f"memory: {what}", len(samples), f"growth per restart in bytes: 0, not significantly above {minimum:.0f}",
                  f"{found:+.1f} ± {error:.1f}; {more:+} since the warm-up", holds)


def weeks(table, program, environment, count):
    """Simulated weeks, in a separate process."""
    run = subprocess.run([program, "weeks", str(count)], env=environment, stdout=subprocess.PIPE, text=True, check=False)
    points = [json.loads(line) for line in run.stdout.splitlines()]
    if run.returncode or not points:
        return table.add("simulated weeks", count, "constant memory", f"ended with status {run.returncode}", False)
    # In the first half, the process still allocates most of its memory from the system.
    kept = points[len(points) // 2:]
    weekly = {what: [(point["hours"] / 168, point[what]) for point in kept] for what in ("heap", "resident")}
    observed, holds = [], True
    if kept[0]["heap"] >= 0:
        is_growing, found, error = grows(weekly["heap"], WEEKLY)
        observed.append(f"heap {found:+.0f} ± {error:.0f}")
        holds = not is_growing
    found = lasting(weekly["resident"])
    observed.append(f"resident {found:+.0f}")
    holds = holds and found <= PAGES_WEEKLY
    return table.add("simulated weeks", count, f"growth per week in bytes: 0; heap not significantly above {WEEKLY}, resident not above {PAGES_WEEKLY}",
                     f"{', '.join(observed)}; {points[-1]['locations']} fixes", holds)
