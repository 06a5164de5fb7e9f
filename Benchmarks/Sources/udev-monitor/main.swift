// SPDX-License-Identifier: Apache-2.0

// Measures the cost of a device message and of the start.
//
//   udev-monitor COUNT                 CPU time for each of COUNT messages about terminals
//   udev-monitor start SUBSYSTEM…      time until all devices of the subsystems are known

import DeviceCore
import Dispatch
import Synchronization
import SystemCalls
import UdevMonitor

/// User and system time of this process, in microseconds.
func cpu() -> Double {
    var use = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &use)
    return Double(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e6
        + Double(use.ru_utime.tv_usec + use.ru_stime.tv_usec)
}

let arguments = Array(CommandLine.arguments.dropFirst())
let isStart = arguments.first == "start"
let subsystems = isStart ? Array(arguments.dropFirst()) : ["tty"]
let clock = LiveClock()
let began = clock.now
let used = cpu()
let monitor = UdevMonitor(
    subsystems.map { UdevSelection(subsystem: $0, attributes: ["dev", "interface", "serial"]) }, clock: clock)
let wanted = arguments.first.flatMap { Int($0) } ?? 20_000
let seen = Mutex((count: 0, start: 0.0))
monitor.start { event in
    switch event {
    case .snapshot(let devices) where isStart:
        let milliseconds = clock.now.seconds(since: began) * 1e3
        print(#"{"devices":\#(devices.count),"ms":\#(milliseconds),"cpu_ms":\#((cpu() - used) / 1e3)}"#)
        exit(0)
    case .snapshot:
        print("ready")
        fflush(nil)
        seen.withLock { $0.start = cpu() }
    case .added, .removed:
        let (count, start) = seen.withLock { seen in
            seen.count += 1
            return seen
        }
        guard count == wanted else { return }
        print(#"{"events":\#(count),"cpu_us_per_event":\#((cpu() - start) / Double(count))}"#)
        exit(0)
    case .problems: break
    }
}
dispatchMain()
