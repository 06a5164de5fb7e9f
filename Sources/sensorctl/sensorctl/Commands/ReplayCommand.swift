// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import DeviceCore
import Foundation
import SensorTools
import SimulatedDevice
import Synchronization
import Trace
import TraceEditing

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Play a recording through Core Location, Core Motion and External Accessory.",
        discussion: """
            The output is the same as that of `watch`, but includes every reading of a sensor unless you specify \
            --interval. With --expect, the command compares the callbacks with those in a file instead, and reports \
            the first difference.

            Examples:
              sensorctl replay drive.jsonl location --speed 10
              sensorctl replay recording.csv device-motion --frame magnetic --json
              sensorctl replay drive.jsonl device-motion --expect drive.expected
            """)

    @Argument(
        help: "The recording, or - for standard input. Folders and libiio's XML cannot be read from standard input.",
        completion: .file())
    var file: String

    @Argument(help: "The stream to replay.") var stream: StreamName

    @Option(
        help:
            "The playback speed relative to the recording. Use max to play without delays. The default is 1 for text in a terminal, and max otherwise."
    )
    var speed: PlaybackSpeed?

    @Option(
        help: "The interval between motion readings, in seconds. Use 0 to include every reading in the trace.",
        transform: Seconds.parse)
    var interval = 0.0
    @Option(help: .init("Compare the callbacks with those in this file.", valueName: "file"), completion: .file())
    var expect: String?

    @Flag(help: "Rewrite the file specified with --expect, but keep its tolerances.") var updateExpected = false
    @Flag(help: "Print every report from the receiver instead of one report per epoch.") var everyReport = false
    @Flag(help: "Shift the times in the trace so that the trace starts now.") var rebase = false

    @OptionGroup var reference: ReferenceOptions
    @OptionGroup var regions: RegionOptions
    @OptionGroup(title: "Recordings from other programs") var imports: ImportOptions
    @OptionGroup(title: "Playback") var choices: PlaybackArguments
    @OptionGroup(title: "Faults") var faults: TraceFaultOptions

    @Option(help: UnitSystem.help) var units = UnitSystem.metric
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Self.validate(interval: interval)
        try regions.validate(for: stream)
        try faults.validate(upTo: choices.to)
        guard expect != nil else { return try Self.rejectIf(updateExpected, "--update-expected requires --expect.") }
        try Self.rejectIf(rebase, "--expect cannot be combined with --rebase, which changes the times in each run.")
        try Self.rejectIf(
            faults.fault != nil && faults.seed == nil,
            "With --expect, --fault requires --seed, so that random faults are the same in each run.")
        try Self.rejectIf(
            choices.loop?.rounds == .endless, "Endless callbacks cannot be compared: omit --loop forever.")
    }

    func run() async throws { try await Termination.run { try await run($0) } }

    private func run(_ stop: StopRequest) async throws -> ExitStatus {
        stop.onRequest {
            if case .signal? = stop.reason, Self.isReading.load(ordering: .acquiring) {
                Foundation.exit(ExitStatus.success.rawValue)
            }
        }
        let trace = try Self.reading { try faults.apply(to: try imports.read(file)) }
        try choices.check(against: trace)
        let options = try choices.options(for: trace)
        guard let expect else { return await replay(trace, options, stop: stop) }
        return await compare(trace, options, with: expect, stop: stop)
    }

    /// Reads a file. A signal during the read ends the program, because reading from a pipe may never return.
    private static func reading<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        isReading.store(true, ordering: .releasing)
        defer { isReading.store(false, ordering: .releasing) }
        return try body()
    }

    /// True while a file is being read. Set by the command and checked on the signal-delivery thread.
    private static let isReading = Atomic<Bool>(false)

    @MainActor private func compare(
        _ trace: TraceFile, _ options: PlaybackOptions, with path: String, stop: StopRequest
    ) async -> ExitStatus {
        let run: ExpectationRun
        do throws(DeviceError) {
            run = try Self.reading { () throws(DeviceError) in
                try ExpectationRun(
                    path: path, options: describedOptions, tolerances: stream.tolerances, isUpdating: updateExpected,
                    stop: stop)
            }
        } catch {
            let status = ExpectationRun.fail(error, otherwise: .noInput)
            if error.code == .notFound { Log.notice("--update-expected creates it.") }
            return status
        }
        let plan = ListenerOptions(
            stream: stream, asJSON: true, interval: interval, everyReport: everyReport, frame: reference.frame,
            edge: reference.orientation, regions: regions.region, beacons: regions.beacons.map(\.constraint))
        await Self.replay(
            trace, stamps: .recorded, options: options, speed: speed ?? .max, plan: plan, stop: stop,
            output: StandardOutput(stop: stop) { run.process($0) })
        return run.finish(asJSON: output.json, output: StandardOutput(stop: stop))
    }

    /// The options that affect callbacks, under the names used in files of expected callbacks.
    private var describedOptions: [String: String] {
        var options = choices.description
        options["stream"] = stream.rawValue
        if everyReport { options["every-report"] = "true" }
        if interval > 0 { options["interval"] = "\(interval)" }
        if stream == .deviceMotion { options["frame"] = reference.frame.rawValue }
        if stream == .heading { options["orientation"] = reference.orientation.rawValue }
        if !regions.region.isEmpty { options["region"] = regions.description }
        if stream == .beacons {
            options["beacon"] = regions.beacons.map(\.constraint.description).joined(separator: ";")
        }
        options.merge(imports.description) { former, _ in former }
        options["fault"] = faults.fault
        if faults.fault != nil { options["seed"] = faults.seed.map { "\($0)" } }
        return options
    }

    @MainActor private func replay(
        _ trace: TraceFile, _ options: PlaybackOptions, stop: StopRequest
    ) async -> ExitStatus {
        let isTerminal = Descriptor.standardOutput.isTerminal
        let speed = speed ?? (isTerminal && !output.json ? .times(1) : .max)
        let plan = ListenerOptions(
            stream: stream, asJSON: output.json, isLive: Descriptor.standardOutput.showsPictures && speed != .max,
            interval: interval, everyReport: everyReport, frame: reference.frame, edge: reference.orientation,
            regions: regions.region, beacons: regions.beacons.map(\.constraint), printsErrors: false, units: units)
        await Self.replay(
            trace, stamps: rebase ? .rebased(to: LiveClock().wallTime) : .recorded, options: options,
            speed: speed, plan: plan, stop: stop)
        return stop.status()
    }

    @MainActor static func replay(
        _ trace: TraceFile, stamps: TimestampPolicy, options: PlaybackOptions = PlaybackOptions(), speed: PlaybackSpeed,
        plan: ListenerOptions, stop: StopRequest, output: StandardOutput? = nil
    ) async {
        let simulated = SimulatedDevice(trace, stamps: stamps, options: options)
        let output =
            output ?? StandardOutput(stop: stop, isBuffered: speed == .max && !Descriptor.standardOutput.isTerminal)
        var plan = plan
        plan.origin = trace.header?.start?.boot ?? .zero
        let listener = simulated.use { plan.listener(on: simulated.device, output: output, stop: stop) }
        await simulated.use { await listener.start() }
        await simulated.play(speed, until: stop)
        await listener.end()
        output.flush()
        if listener.outlet.count == 0, stop.reason == nil, let remark = Self.remark(on: trace, without: plan.stream) {
            Log.warning(remark)
        }
        var remarks = trace.remarks(on: simulated.warnings)
        if !plan.stream.isSensor, stop.reason == nil {
            remarks += ReportDiagnostics(trace).remarks.map { "\(trace.name): \($0)" }
        }
        for remark in remarks { Log.warning(remark) }
    }

    /// Returns an explanation of why a replay printed nothing, or nil if none is needed.
    static func remark(on trace: TraceFile, without stream: StreamName) -> String? {
        let kinds = Set(trace.findSensors().map(\.kind))
        switch stream {
        case .accessories: return "\(trace.name) contains no accessory."
        case .regions, .monitor, .visits:
            return "\(trace.name) yields no \(stream.noun); `replay FILE location` prints its positions."
        case .beacons: return "\(trace.name) is shorter than one second, the interval of beacon reports."
        default: break
        }
        let other = StreamName.allCases.filter { $0.isSensor && kinds.isSuperset(of: $0.sensors) }
        let rest = other.map(\.rawValue).joined(separator: ", ")
        guard !stream.sensors.isEmpty else {
            return other.isEmpty ? nil : "\(trace.name) contains no positions; it contains \(rest)."
        }
        let missing = stream.sensors.filter { !kinds.contains($0) }.map(\.nameWithArticle)
        guard !missing.isEmpty else { return nil }
        return
            "\(trace.name) contains no readings of \(missing.joined(separator: " or of ")); it contains \(other.isEmpty ? "no motion at all" : rest)."
    }
}
