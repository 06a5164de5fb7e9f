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
        abstract: "Plays a recorded trace through the managers.",
        discussion: """
            Takes what `sensorctl record` writes, what gpspipe -w prints, and gpsd's .chk files; for motion also CSV \
            files, folders of Sensor Logger, and libiio's XML with the buffers beside it. The output is that of `watch`, \
            with every reading of a sensor unless --interval is given. Locations keep the time at which they were recorded, \
            unless --rebase is given. The "timestamp" of device-motion and heading is the time in the trace, from its start; \
            their lines are readings only, and errors are notes.

            Exits with 65 when the file is not a trace and with 66 when it cannot be read. What cannot be read of a trace \
            is passed over with a note. See sensorctl --help for the other exit codes.
            """)

    @Argument(help: "The trace; - for standard input, which takes all but folders and libiio's XML.")
    var file: String

    @Argument(help: "What to replay: \(StreamName.list).")
    var stream: StreamName

    @Option(help: "How many times faster than recorded; max, the default unless a terminal shows it, does not wait.")
    var speed: PlaybackSpeed?

    @Flag(help: "Print every report of the receiver, not one an epoch.")
    var everyReport = false

    @Option(help: "Seconds between readings of motion; 0 for every one in the trace.")
    var interval = 0.0

    @OptionGroup var reference: ReferenceOptions

    @Flag(help: "Move the times of the trace so that it starts now.")
    var rebase = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try WatchCommand.validate(interval: interval)
    }

    func run() async throws {
        let stop = Stop()
        let termination = Termination(stop)
        defer { withExtendedLifetime(termination) {} }
        // Standard input may never end.
        stop.whenRequested { if case .signal? = stop.reason { Self.isReading.endIfReading() } }
        let trace = try Self.isReading.during { try TraceFile.read(userPath: file, allowsImport: true) }
        try await replay(trace, stop: stop).end()
    }

    private static let isReading = ReadingPhase()

    @MainActor private func replay(_ trace: TraceFile, stop: Stop) async -> ExitStatus {
        let isTerminal = Descriptor.standardOutput.isTerminal
        let speed = speed ?? (isTerminal ? .times(1) : .max)
        let plan = ListenerPlan(
            stream: stream, asJSON: output.json, isLive: isTerminal && Ink.canMoveCursor && speed != .max,
            interval: interval, everyReport: everyReport, frame: reference.frame, edge: reference.orientation,
            tellsErrors: false)
        await Self.replay(
            trace, stamps: rebase ? .rebased(to: LiveClock().wallTime) : .kept, speed: speed, plan: plan, stop: stop)
        return stop.reason?.status(isComplete: true, shortfall: "") ?? .success
    }

    /// Plays a trace to standard output.
    @MainActor static func replay(
        _ trace: TraceFile, stamps: TraceStamps, speed: PlaybackSpeed, plan: ListenerPlan, stop: Stop
    ) async {
        let simulated = SimulatedDevice(trace, stamps: stamps)
        let output = StandardOutput(stop: stop)
        var plan = plan
        plan.origin = trace.header?.start?.boot ?? .zero
        let listener = simulated.use { plan.listener(on: simulated.device, output: output, stop: stop) }
        simulated.use { listener.start() }
        await simulated.play(speed, until: stop)
        listener.end()
        if listener.count == 0, stop.reason == nil, let remark = Self.remark(on: trace, without: plan.stream) {
            Notes.warn(remark)
        }
        for warning in simulated.warnings { Notes.warn("\(trace.name): \(warning)") }
    }

    /// Why a replay has shown nothing, when the trace holds something else; nil otherwise.
    private static func remark(on trace: TraceFile, without stream: StreamName) -> String? {
        let kinds = Set(trace.findSensors().map(\.kind))
        if stream == .accessories { return "\(trace.name) tells of no accessory." }
        let other = StreamName.allCases.filter { $0.isSensor && kinds.isSuperset(of: $0.sensors) }
        let rest = other.map(\.rawValue).joined(separator: ", ")
        guard !stream.sensors.isEmpty else {
            return other.isEmpty ? nil : "\(trace.name) gives no location; it holds \(rest)."
        }
        let missing = stream.sensors.filter { !kinds.contains($0) }.map(\.nameWithArticle)
        guard !missing.isEmpty else { return nil }
        return
            "\(trace.name) holds no readings of \(missing.joined(separator: " and of ")); it holds \(other.isEmpty ? "no motion at all" : rest)."
    }
}

extension SensorKind {
    /// What people call it.
    var name: String { self == .pressure ? "barometer" : rawValue }

    /// With an article, for sentences.
    var nameWithArticle: String { self == .accelerometer ? "an \(name)" : "a \(name)" }
}
