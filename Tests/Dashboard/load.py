# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Resource use: frame rate, CPU time, memory during minutes of fast playback, an hour of nine axes."""
import os
import time

from checking import frames, part
from recorded import tool_output

HEAP = "gc(); gc(); return performance.memory.usedJSHeapSize / 1048576"


@part("frames")
def measured(trial):
    """Nine axes at 100 Hz, and the attitude derived from them."""
    browser = trial.browser
    with trial.serve(trial.drive) as served:
        trial.open(served.address, 1280, 2000)
        browser.wait("return dashboard.clock.now > 2", what="playback has started")
        trial.command({"do": "seek", "t": 200})
        trial.command({"do": "play"})
        browser.wait("return dashboard.clock.now > 202", what="200 s of the trace")
        browser.cdp("Performance.enable")
        used = lambda: {one["name"]: one["value"] for one in browser.cdp("Performance.getMetrics")["metrics"]}
        before, processor, begun = used(), served.seconds(), time.monotonic()
        rate = frames(browser, 10)
        after, seconds = used(), time.monotonic() - begun
        trial.measured(f"{rate:.1f} frames per second with all panels visible at 1280 by 2000, nine axes of 100 Hz and five derived lines")
        trial.measured(f"the page's main thread was busy for {(after['TaskDuration'] - before['TaskDuration']) / seconds * 100:.0f} %, "
                       f"with scripts for {(after['ScriptDuration'] - before['ScriptDuration']) / seconds * 100:.0f} %")
        trial.measured(f"the server used {(served.seconds() - processor) / seconds * 100:.1f} % of a core and {served.memory():.0f} MiB")
        trial.check(browser.run("return dashboard.strips.list.filter((strip) => strip.history.rate > 90).length") >= 6,
                    "at least six channels are received at 100 Hz")
        trial.check(browser.run("return document.getElementById('event-list').textContent.includes('too slow')") is False, "no data was skipped")


@part("heap")
def heap(trial):
    """Minutes of playback at a hundred times the speed, repeatedly: the stored data of the page does not grow."""
    browser = trial.browser
    with trial.serve(trial.drive, "--speed", "100", "--loop") as served:
        trial.open(served.address)
        begun, marks = time.monotonic(), []
        limit = float(os.environ.get("DASHBOARD_HEAP_SECONDS", "90"))
        while time.monotonic() - begun < limit:
            time.sleep(limit / 6)
            marks.append(browser.run(HEAP))
        nodes = browser.run("return document.querySelectorAll('*').length")
        trial.measured(f"heap over {limit:.0f} s at 100 times the speed: {', '.join(f'{mark:.1f}' for mark in marks)} MiB; {nodes} elements; "
                       f"server {served.memory():.0f} MiB")
        # Six seconds per loop. All limited buffers are full after the first third.
        trial.check(max(marks[3:]) < max(marks[:3]) * 1.25 + 4, "the heap does not grow", marks)
        trial.check(nodes < 6000, "the number of elements does not grow", nodes)


@part("hour")
def hour(trial):
    """An hour of nine axes is loaded, shown and traversed."""
    browser = trial.browser
    route, trace = os.path.join(trial.folder, "hour.csv"), os.path.join(trial.folder, "hour.trace")
    with open(route, "w", encoding="utf-8") as file:
        for turn in range(38):
            file.write(f"{48.1 + (turn % 10) * 0.004},{11.5 + (turn // 10) * 0.006},520,10,{20 if turn % 3 else 35}\n")
    tool_output(trial.tool, "synthesize", route, trace, "--imu", "mpu6050", "--receiver", "open-sky", "--overwrite")
    begun = time.monotonic()
    with trial.serve(trace) as served:
        trial.open(served.address, 1280, 1600)
        length = browser.run("return dashboard.hello.duration")
        trial.measured(f"{length / 60:.0f} min, {os.path.getsize(trace) / (1 << 20):.0f} MiB: ready {time.monotonic() - begun:.1f} s after the start, "
                       f"{served.memory():.0f} MiB in the server")
        for place in (length * 0.5, length - 90, 30):
            asked = time.monotonic()
            trial.command({"do": "pause"})
            trial.command({"do": "seek", "t": place})
            browser.wait("return Math.abs(dashboard.clock.now - arguments[0]) < 0.1 && dashboard.strips.named('accelerometer').history.newest > arguments[0] - 1",
                         place, seconds=120, what=f"{place:.0f} s of an hour")
            trial.measured(f"seeking to {place:.0f} s took {time.monotonic() - asked:.1f} s")
        trial.command({"do": "play"})
        trial.measured(f"{frames(browser, 4):.1f} frames per second at the end")
        trial.check(length > 3600 and trial.number("latitude") is not None, "the page shows an hour of nine axes", length)
        trial.settle()
        trial.shot("hour-light")
        trial.check_console()
    os.remove(trace)
