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
        commandName: "replay",
        abstract: "Plays a recorded trace through the managers.",
        discussion: """
            Takes what `sensorctl record` writes, what gpspipe -w prints, gpsd's .chk files, and what other programs \
            recorded: NMEA logs, GPX, MCAP, CSV files, phyphox, folders of Sensor Logger, umockdev's descriptions and \
            scripts, libiio's XML with the buffers beside it, and any table with --columns. The output is that of `watch`, \
            with every reading of a sensor unless --interval is given. Locations keep the time at which they were recorded, \
            unless --rebase is given. The "timestamp" of device-motion and heading is the time in the trace, from its start; \
            their lines are readings only, and errors are notes.

            With --expect the callbacks are not printed but compared with those of a file, which --update-expected writes: \
            the first that is different is told, with the field, both values, the tolerance and what came before it, and the \
            exit code is 1. The file is JSON Lines. Its first line holds the options, which have to be the same, and the \
            tolerances of fields, which may be edited: "absolute", "relative" (to what is expected), "circle" (360 for \
            degrees), and "rotation" (degrees between quaternions). Errors are callbacks then.

            Exits with 65 when the file is not a trace and with 66 when it cannot be read. What cannot be read of a trace \
            is passed over with a note. See sensorctl --help for the other exit codes.

            Examples:
              sensorctl replay drive.jsonl location --speed 10
              sensorctl replay recording.csv device-motion --frame magnetic --json
              sensorctl replay drive.jsonl device-motion --expect drive.expected
            """)

    @Argument(
        help: "The trace; - for standard input, which takes all but folders and libiio's XML.", completion: .file())
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

    @OptionGroup var regions: RegionOptions
    @OptionGroup var beacons: BeaconOptions

    @Flag(help: "Move the times of the trace so that it starts now.")
    var rebase = false

    @OptionGroup(title: "Recordings of other programs") var imports: ImportOptions

    @OptionGroup(title: "What is played") var choices: PlaybackChoices

    @OptionGroup(title: "What goes wrong") var faults: TraceFaultOptions

    @Option(
        help: ArgumentHelp("Compare the callbacks with those of that file.", valueName: "file"), completion: .file())
    var expect: String?

    @Flag(help: "Write the file of --expect anew; its tolerances stay.")
    var updateExpected = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Self.validate(interval: interval)
        try regions.validate(for: stream)
        try faults.validate(upTo: choices.to)
        try beacons.validate(for: stream)
        guard expect != nil else { return try Self.refuse(updateExpected, "--update-expected is for --expect.") }
        try Self.refuse(rebase, "With --rebase the times are others each time; leave it out with --expect.")
        try Self.refuse(
            faults.fault != nil && faults.seed == nil,
            "With --expect, --fault needs --seed, so that chance is the same each time.")
        try Self.refuse(choices.loop?.rounds == .endless, "Callbacks without an end cannot be compared.")
    }

    func run() async throws { try await Termination.during { try await run($0) } }

    private func run(_ stop: Stop) async throws -> ExitStatus {
        stop.whenRequested {
            if case .signal? = stop.reason, Self.isReading.load(ordering: .acquiring) {
                Foundation.exit(ExitStatus.success.rawValue)
            }
        }
        let trace = try Self.reading { try faults.apply(to: try imports.read(file)) }
        try choices.check(against: trace)
        guard let expect else { return await replay(trace, stop: stop) }
        return await compare(trace, with: expect, stop: stop)
    }

    /// Reads a file. A pipe may never end, and nothing has been printed yet: a signal ends the program at once.
    private static func reading<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        isReading.store(true, ordering: .releasing)
        defer { isReading.store(false, ordering: .releasing) }
        return try body()
    }

    private static let isReading = Atomic<Bool>(false)

    /// Plays it to a file of expected callbacks.
    @MainActor private func compare(_ trace: TraceFile, with path: String, stop: Stop) async -> ExitStatus {
        let run: ExpectationRun
        do throws(DeviceError) {
            run = try Self.reading { () throws(DeviceError) in
                try ExpectationRun(
                    path: path, options: describedOptions, tolerances: stream.tolerances, isUpdating: updateExpected,
                    stop: stop)
            }
        } catch {
            let status = ExpectationRun.fail(error, otherwise: .noInput)
            if error.code == .notFound { Notes.say("--update-expected makes it.") }
            return status
        }
        let plan = ListenerPlan(
            stream: stream, asJSON: true, interval: interval, everyReport: everyReport, frame: reference.frame,
            edge: reference.orientation, regions: regions.region, beacons: beacons.constraints)
        await Self.replay(
            trace, stamps: .kept, options: choices.options, speed: speed ?? .max, plan: plan, stop: stop,
            output: StandardOutput(stop: stop) { run.take($0) })
        return run.end(asJSON: output.json, output: StandardOutput(stop: stop))
    }

    /// What makes the callbacks others, by the names of the options.
    private var describedOptions: [String: String] {
        var options = choices.description
        options["stream"] = stream.rawValue
        if everyReport { options["every-report"] = "true" }
        if interval > 0 { options["interval"] = "\(interval)" }
        if stream == .deviceMotion { options["frame"] = reference.frame.rawValue }
        if stream == .heading { options["orientation"] = reference.orientation.rawValue }
        if !regions.region.isEmpty { options["region"] = regions.description }
        if stream == .beacons { options["beacon"] = beacons.constraints.map(\.description).joined(separator: ";") }
        options.merge(imports.description) { former, _ in former }
        options["fault"] = faults.fault
        if faults.fault != nil { options["seed"] = faults.seed.map { "\($0)" } }
        return options
    }

    @MainActor private func replay(_ trace: TraceFile, stop: Stop) async -> ExitStatus {
        let isTerminal = Descriptor.standardOutput.isTerminal
        let speed = speed ?? (isTerminal ? .times(1) : .max)
        let plan = ListenerPlan(
            stream: stream, asJSON: output.json, isLive: Descriptor.standardOutput.showsPictures && speed != .max,
            interval: interval, everyReport: everyReport, frame: reference.frame, edge: reference.orientation,
            regions: regions.region, beacons: beacons.constraints, tellsErrors: false)
        await Self.replay(
            trace, stamps: rebase ? .rebased(to: LiveClock().wallTime) : .kept, options: choices.options, speed: speed,
            plan: plan, stop: stop)
        return stop.status()
    }

    /// Plays a trace to standard output.
    @MainActor static func replay(
        _ trace: TraceFile, stamps: TraceStamps, options: PlaybackOptions = PlaybackOptions(), speed: PlaybackSpeed,
        plan: ListenerPlan, stop: Stop, output: StandardOutput? = nil
    ) async {
        let simulated = SimulatedDevice(trace, stamps: stamps, options: options)
        let output =
            output ?? StandardOutput(stop: stop, gathers: speed == .max && !Descriptor.standardOutput.isTerminal)
        var plan = plan
        plan.origin = trace.header?.start?.boot ?? .zero
        let listener = simulated.use { plan.listener(on: simulated.device, output: output, stop: stop) }
        await simulated.use { await listener.start() }
        await simulated.play(speed, until: stop)
        await listener.end()
        output.flush()
        if listener.outlet.count == 0, stop.reason == nil, let remark = Self.remark(on: trace, without: plan.stream) {
            Notes.warn(remark)
        }
        var remarks = trace.remarks(on: simulated.warnings)
        if !plan.stream.isSensor, stop.reason == nil {
            remarks += ReportDamage(trace).remarks.map { "\(trace.name): \($0)" }
        }
        for remark in remarks { Notes.warn(remark) }
    }

    /// Why a replay has shown nothing, when the trace holds something else; nil otherwise.
    static func remark(on trace: TraceFile, without stream: StreamName) -> String? {
        let kinds = Set(trace.findSensors().map(\.kind))
        switch stream {
        case .accessories: return "\(trace.name) tells of no accessory."
        case .regions, .monitor, .visits:
            return "\(trace.name) gives no \(stream.noun); `replay FILE location` shows its positions."
        case .beacons: return "\(trace.name) is over in less than a second, the time from report to report."
        default: break
        }
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
