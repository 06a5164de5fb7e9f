// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What every verb has.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object a line.")
    var json = false
}

/// How fast a trace is played.
enum PlaybackSpeed: ExpressibleByArgument, Equatable, CustomStringConvertible {
    case max
    case times(Double)

    init?(argument: String) {
        if argument == "max" {
            self = .max
            return
        }
        guard let factor = Double(argument), factor > 0, factor.isFinite else { return nil }
        self = .times(factor)
    }

    var description: String {
        switch self {
        case .max: "max"
        case .times(let factor): factor == factor.rounded() && factor < 1e9 ? "\(Int(factor))" : "\(factor)"
        }
    }

    static var allValueStrings: [String] { ["max", "NUMBER"] }
}
