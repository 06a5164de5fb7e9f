// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOSource

/// What the command line asks for.
struct Wish {
    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    var options = IIOSourceOptions()
    var requests: [MotionRequest] = []

    init(_ arguments: some Sequence<String>) throws {
        var interval = 0.01
        var latency = 0.0
        var sensor: SensorDescription.ID?
        var axes = MotionRequest.Axes.device
        var kinds: [SensorKind] = []
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--interval": interval = try Wish.number(&rest)
            case "--latency": latency = try Wish.number(&rest)
            case "--samples": options.samplesPerRefill = Int(try Wish.number(&rest))
            case "--sensor": sensor = rest.popFirst()
            case "--sensor-axes": axes = .sensor
            default:
                guard let kind = SensorKind(rawValue: argument) else {
                    throw Mistake(description: "\(argument) is not a kind of sensor")
                }
                kinds.append(kind)
            }
        }
        requests = kinds.map {
            MotionRequest(kind: $0, sensor: sensor, interval: interval, latency: latency, axes: axes)
        }
    }

    private static func number(_ rest: inout ArraySlice<String>) throws -> Double {
        guard let text = rest.popFirst(), let number = Double(text) else { throw Mistake(description: "no number") }
        return number
    }
}
