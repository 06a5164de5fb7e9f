// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import DeviceCore

/// `sensorctl watch`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints where this machine is, as it changes.",
        discussion: """
            Goes on until it is ended, also while gpsd is away: it says so once and waits. With --json each line is one \
            callback of a location manager's delegate: didUpdateLocations, didFailWithError, didChangeAuthorization.

            Exits with 69 when --duration ends before --count locations have come, and with 77 when the configuration \
            does not allow the use of the position. See sensorctl --help for the other exit codes.
            """)

    @Argument(help: "What to watch: location.")
    var stream: StreamName

    @Flag(help: "Print every report of the receiver, not one an epoch.")
    var everyReport = false

    @Option(help: "Listen to this receiver only, as gpsd names it (for example /dev/ttyACM0).")
    var receiver: String?

    @Option(help: "End after that many locations.")
    var count: Int?

    @Option(help: "End after that many seconds.")
    var duration: Double?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count takes a number from 1.") }
        try Self.validate(duration: duration)
    }

    func run() async throws {
        try await watch().end()
    }

    @MainActor private func watch() async -> ExitStatus {
        let stop = Stop()
        let termination = Termination(stop)
        defer { withExtendedLifetime(termination) {} }
        let standardOutput = StandardOutput(stop: stop)
        let clock = LiveClock()
        let printer: any CallbackPrinter =
            output.json
            ? JSONCallbackPrinter(output: standardOutput)
            : TableCallbackPrinter(output: standardOutput, clock: { clock.wallTime })
        let listener = LocationListener(printer: printer, stop: stop, limit: count)
        listener.start(everyReport: everyReport, receiver: receiver)
        Termination.schedule(stop, after: duration)
        let reason = await stop.wait()
        listener.end()
        return reason.status(
            isComplete: listener.isComplete,
            shortfall: "Only \(listener.count) of \(count ?? 0) locations have come in \(duration ?? 0) s.")
    }

    /// A duration has to be a number of seconds that a timer takes.
    static func validate(duration: Double?) throws {
        guard let duration else { return }
        guard duration > 0, duration <= 1e8 else {
            throw ValidationError("--duration takes seconds, more than 0.")
        }
    }
}
