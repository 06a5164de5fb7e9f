// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import DeviceCore
import SimulatedDevice
import Trace

/// `sensorctl replay`
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Plays a recorded trace through the location manager.",
        discussion: """
            Takes what `sensorctl record` writes, what gpspipe -w prints, and gpsd's .chk files. The output is that of \
            `watch`. Locations keep the time at which they were recorded, unless --rebase is given.

            Exits with 65 when the file is not a trace and with 66 when it cannot be read. What cannot be read of a trace \
            is passed over with a note. See sensorctl --help for the other exit codes.
            """)

    @Argument(help: "The trace; - for standard input.")
    var file: String

    @Argument(help: "What to replay: location.")
    var stream: StreamName

    @Option(help: "How many times faster than recorded; max, the default unless a terminal shows it, does not wait.")
    var speed: PlaybackSpeed?

    @Flag(help: "Print every report of the receiver, not one an epoch.")
    var everyReport = false

    @Flag(help: "Move the times of the trace so that it starts now.")
    var rebase = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let stop = Stop()
        let termination = Termination(stop)
        defer { withExtendedLifetime(termination) {} }
        // Standard input may never end.
        stop.whenRequested { if case .signal? = stop.reason { Self.isReading.endIfReading() } }
        let trace = try Self.isReading.during { try TraceFile.read(userPath: file) }
        try await replay(trace, stop: stop).end()
    }

    private static let isReading = ReadingPhase()

    @MainActor private func replay(_ trace: TraceFile, stop: Stop) async -> ExitStatus {
        let standardOutput = StandardOutput(stop: stop)
        let asJSON = output.json
        await Self.replay(
            trace, stamps: rebase ? .rebased(to: LiveClock().wallTime) : .kept,
            speed: speed ?? (Descriptor.standardOutput.isTerminal ? .times(1) : .max), everyReport: everyReport,
            printer: { device in
                guard !asJSON else { return JSONCallbackPrinter(output: standardOutput) }
                return TableCallbackPrinter(output: standardOutput, clock: { device.wallTime })
            }, stop: stop)
        return stop.reason?.status(isComplete: true, shortfall: "") ?? .success
    }

    /// Plays a trace to a printer.
    @MainActor static func replay(
        _ trace: TraceFile, stamps: TraceStamps, speed: PlaybackSpeed, everyReport: Bool,
        printer: (SimulatedDevice) -> any CallbackPrinter, stop: Stop
    ) async {
        let device = SimulatedDevice(trace, stamps: stamps)
        let printer = printer(device)
        let listener = device.use { LocationListener(printer: printer, stop: stop) }
        listener.start(everyReport: everyReport)
        await device.play(speed, until: stop)
        listener.end()
        for warning in device.warnings { Notes.warn("\(trace.name): \(warning)") }
    }
}
