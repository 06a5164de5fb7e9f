// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import UdevMonitor

/// What the command line asks for.
struct Wish {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var selections: [UdevSelection] = []
    private(set) var options = UdevMonitorOptions()
    private(set) var isBrief = false

    init(_ arguments: [String]) throws {
        var attributes: [String] = []
        var binary: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--brief": isBrief = true
            case "--heard": options.reach = .everywhere
            case "--buffer":
                guard let bytes = rest.popFirst().flatMap({ Int($0) }) else {
                    throw Refusal(description: "--buffer needs a number of bytes")
                }
                options.receiveBuffer = bytes
            case "--most":
                guard let devices = rest.popFirst().flatMap({ Int($0) }) else {
                    throw Refusal(description: "--most needs a number of devices")
                }
                options.mostDevices = devices
            case "--control": options.control = rest.popFirst() ?? ""
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
}
