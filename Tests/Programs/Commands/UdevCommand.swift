// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import SystemCalls
import UdevMonitor

/// Prints the events of a monitor as lines of JSON. Responds to requests on its input.
///
///     udev [--buffer BYTES] [--control PATH] [--maximum DEVICES] [--brief] [--reachable] [--attribute NAME]…
///         [--binary NAME]… SUBSYSTEM[/TYPE]…
///
/// The requests are: statistics, threads, start, stop, end. `--brief` prints only paths and counts. `--reachable`
/// declares that messages are received in a network namespace other than the machine's.
struct UdevCommand {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private var selections: [UdevSelection] = []
    private var options = UdevMonitorOptions()
    private var isBrief = false

    private init(_ arguments: [String]) throws {
        var attributes: [String] = []
        var binary: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--brief": isBrief = true
            case "--reachable": options.reachableGroups = .all
            case "--buffer":
                guard let bytes = rest.popFirst().flatMap({ Int($0) }) else {
                    throw Refusal(description: "--buffer requires a number of bytes")
                }
                options.receiveBuffer = bytes
            case "--maximum":
                guard let devices = rest.popFirst().flatMap({ Int($0) }) else {
                    throw Refusal(description: "--maximum requires a number of devices")
                }
                options.maximumDevices = devices
            case "--control": options.controlSocketPath = rest.popFirst() ?? ""
            case "--attribute": attributes.append(rest.popFirst() ?? "")
            case "--binary": binary.append(rest.popFirst() ?? "")
            default:
                let parts = argument.split(separator: "/", maxSplits: 1).map(String.init)
                guard let subsystem = parts.first else { throw Refusal(description: "an empty subsystem") }
                selections.append(UdevSelection(subsystem: subsystem, type: parts.dropFirst().first))
            }
        }
        for index in selections.indices {
            selections[index].attributes = attributes
            selections[index].binaryAttributes = binary
        }
    }

    static func run(_ arguments: [String]) {
        let output = Output()
        do {
            try UdevCommand(arguments).run(output)
        } catch {
            output.failure("\(error)")
            exit(64)
        }
    }

    private func run(_ output: Output) {
        let monitor = UdevMonitor(selections, clock: LiveClock(), options: options)
        let isBrief = isBrief
        let receive: @Sendable (UdevEvent) -> Void = { output.event($0, isBrief: isBrief) }
        monitor.start(receive: receive)
        while let question = readLine() {
            switch question {
            case "statistics": output.statistics(monitor.statistics)
            case "threads":
                var use = ProcessUse()
                use.settle(threads: 1)
                output.threads(use.threads)
            case "start": monitor.start(receive: receive)
            case "stop":
                monitor.stop()
                output.stopped()
            default: exit(0)
            }
        }
    }
}
