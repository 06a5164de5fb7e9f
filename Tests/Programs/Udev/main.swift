// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import UdevMonitor

// Writes what a monitor tells as lines of JSON; answers what is asked on its input.
//
//     TestProgramUdev [--buffer BYTES] [--control PATH] [--most DEVICES] [--brief] [--heard] [--attribute NAME]… [--binary NAME]… SUBSYSTEM[/TYPE]…
//
// Asked are: statistics, threads, start, stop, end. --brief writes only paths and counts. --heard says that messages come,
// though the program runs in a network namespace that is not the machine's.

let output = Output()
let wish: Wish
do {
    wish = try Wish(Array(CommandLine.arguments.dropFirst()))
} catch {
    output.failure("\(error)")
    exit(64)
}
let monitor = UdevMonitor(wish.selections, clock: LiveClock(), options: wish.options)
let isBrief = wish.isBrief
let receive: @Sendable (UdevEvent) -> Void = { output.event($0, isBrief: isBrief) }
monitor.start(receive: receive)
while let question = readLine() {
    switch question {
    case "statistics": output.statistics(monitor.statistics)
    case "threads": output.threads()
    case "start": monitor.start(receive: receive)
    case "stop":
        monitor.stop()
        output.stopped()
    default: exit(0)
    }
}
