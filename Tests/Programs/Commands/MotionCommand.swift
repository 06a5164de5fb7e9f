// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOSource
import SystemCalls

/// Subscribes to motion sensors and prints their events, one JSON object per line. Answers requests on its input.
///
///     motion [--interval S] [--latency S] [--samples N] [--buffers N] [--sensor ID] [--sensor-axes] KIND…
///
/// The requests are: sensors, rate, use, stop, end.
struct MotionCommand {
    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    private var options = IIOSourceOptions()
    private var requests: [MotionRequest] = []

    private init(_ arguments: [String]) throws {
        var interval = 0.01
        var latency = 0.0
        var sensor: SensorDescription.ID?
        var axes = MotionRequest.Axes.device
        var kinds: [SensorKind] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--interval": interval = try Self.number(&rest)
            case "--latency": latency = try Self.number(&rest)
            case "--samples": options.samplesPerRefill = Int(try Self.number(&rest))
            case "--buffers": options.kernelBuffers = Int(try Self.number(&rest))
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

    static func run(_ arguments: [String]) {
        let output = Output()
        do {
            try MotionCommand(arguments).run(output)
        } catch {
            output.failure("\(error)")
            exit(64)
        }
    }

    private func run(_ output: Output) {
        let configuration = Configuration.load()
        for problem in configuration.problems { output.failure(problem.message) }
        let source = IIOSource(
            addresses: configuration.motionSources.value, settings: configuration.sensors.value, clock: LiveClock(),
            options: options)
        let subscriptions = requests.map { request in
            source.subscribe(request) { event in output.event(event, of: request.kind) }
        }
        output.ready()
        while let question = readLine() {
            switch question {
            case "sensors": output.sensors(source.sensors)
            case "rate":
                let kinds = requests.map(\.kind)
                output.rates(
                    source.sensors.filter { kinds.contains($0.kind) }.map { ($0.id, source.measuredRate(of: $0.id)) })
            case "use": output.use()
            case "stop":
                for subscription in subscriptions { subscription.cancel() }
                output.stopped()
            default: exit(0)
            }
        }
        withExtendedLifetime(subscriptions) {}
    }
}
