// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BlackBox
import CoreLocation
import DeviceCore
import ExternalAccessory
import LiveDevice
import SystemCalls
import Trace

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record positions, motion and accessory data to a trace.",
        usage: "sensorctl record <file> [<options>]",
        discussion: """
            The command runs until it is interrupted. If FILE is a folder, the name of the trace is the time. With \
            --ring, the command is a black box: it keeps only the most recent data and saves it on events (`sensorctl \
            help events`).

            Examples:
              sensorctl record drive.jsonl
              sensorctl record drive.jsonl --parts position,motion --duration 600
              sensorctl record --ring 10m --on 'impact>4g,lost-fix' traces/
            """)

    @Argument(help: "The trace to write, or - for standard output.", completion: .file()) var file: String

    @Option(
        help:
            "The parts to record, separated by commas. Recording beacons requires a continuous scan for Bluetooth devices."
    )
    var parts: PartNames = PartNames(parts: .default)

    @Option(
        help: "The interval between readings of a motion sensor, in seconds. Use 0 to record every reading.",
        transform: Seconds.parse)
    var interval = 0.01
    @OptionGroup var blackBox: BlackBoxOptions
    @Option(help: "Stop after this time, such as 90s or 2m.", transform: Seconds.parse) var duration: Double?
    @OptionGroup var new: NewFileOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Self.validate(duration: duration)
        try Self.validate(interval: interval)
        if try blackBox.plan != nil {
            if file == "-" { throw ValidationError("--ring cannot write to standard output: name a file or a folder.") }
            if new.overwrite { throw ValidationError("--ring never replaces a file: omit --overwrite.") }
        }
        if file == "-", output.json { throw ValidationError("--json uses standard output: name a file for the trace.") }
    }

    func run() async throws { try await Termination.run { await record($0) } }

    @MainActor private func record(_ stop: StopRequest) async -> ExitStatus {
        let device = LiveDevice.withAccessories
        let authorization = LocationAuthorization.current
        let mayUsePosition = authorization.status != .denied && authorization.status != .restricted
        let plan = try? blackBox.plan
        guard mayUsePosition || !(parts.parts.contains(.position) || plan?.needsPosition == true) else {
            Log.error(
                "The configuration does not allow the use of the position (location.authorization). Record the rest with --parts motion,battery."
            )
            return .noPermission
        }
        let file = plan == nil ? newFile(at: device.clock.wallTime) : file
        let events = RecordingEvents(file: file, device: device, parts: parts.parts, asJSON: output.json, stop: stop)
        let recorder: TraceRecorder
        var box: BlackBoxSession?
        do throws(DeviceError) {
            // Rejects a folder if it is a symbolic link that another user owns, because the link could point anywhere.
            if file != self.file, ExclusiveFile.isLinkOfOtherUser(self.file) {
                throw ExclusiveFile.failure(self.file, call: "open", errno: EEXIST)
            }
            if let plan {
                box = try BlackBoxSession(
                    RingLocation(file, mode: new.mode?.bits), plan, clock: device.clock, events: events, stop: stop)
            }
            let writer: TraceWriter
            if let box {
                writer = box.writer
            } else if file == "-" {
                writer = TraceWriter(Self.standardOutput(until: stop), clock: LiveClock())
            } else {
                writer = try TraceWriter(path: file, overwrite: new.overwrite, mode: new.mode?.bits)
            }
            recorder = TraceRecorder(
                device: device, writer: writer, recorder: Version.text,
                parts: parts.parts, motionInterval: .seconds(interval),
                onFailure: { stop.request(Self.reason(of: $0)) })
            try recorder.start()
        } catch {
            if case .outputClosed = Self.reason(of: error) { return .success }
            Log.error(error.description)
            return error.code == .busy ? .unavailable : .cannotCreate
        }
        events.started()
        box?.begin(device, interval: interval)
        let subscriptions = subscriptions(to: device, events, position: plan?.needsPosition == true)
        box?.saveLeftovers()
        Termination.schedule(stop, after: duration)
        let reason = await stop.wait()
        for subscription in subscriptions { subscription.cancel() }
        var end = reason
        // The order matters: the black box must finish before the recorder closes the ring, and the ring can be
        // discarded only after the recorder has closed it.
        if let box, let failure = box.finish(isFailure: Self.isFailure(reason)) { end = .failed(failure, .inputOutput) }
        do throws(DeviceError) { try recorder.stop() } catch { end = Self.reason(of: error) }
        do throws(DeviceError) { if !Self.isFailure(end) { try box?.discard() } } catch { end = Self.reason(of: error) }
        let (lines, samples) = (recorder.recordedLines, recorder.recordedSamples)
        let (accessories, sightings) = (recorder.recordedAccessoryEvents, recorder.recordedSightings)
        events.ended(lines: lines, samples: samples, accessories: accessories, sightings: sightings)
        events.finish()
        if !Self.isFailure(end), let last = stop.reason, Self.isFailure(last) { end = last }
        return end.status(
            isComplete: lines + samples + accessories + sightings > 0,
            shortfall: "Nothing was recorded in \(duration ?? 0) s.")
    }

    /// Returns the path of the trace. If `file` is a folder, the trace is in that folder and its name contains `time`.
    private func newFile(at time: WallTime) -> String {
        let location = RingLocation(file)
        return file != "-" && location.isFolder ? location.path(at: time, for: "recording") : file
    }

    /// Subscribes to the recorded sources and, if `position` is true, to positions.
    private func subscriptions(to device: Device, _ events: RecordingEvents, position: Bool) -> [Subscription] {
        var subscriptions: [Subscription] = []
        if position || parts.parts.contains(.position) {
            subscriptions.append(device.positionSource.subscribe(PositionRequest()) { events.process($0) })
        }
        if parts.parts.contains(.motion) {
            for sensor in device.motionSource.sensors {
                let request = MotionRequest(
                    kind: sensor.kind, sensor: sensor.id, includesAllReadings: true, axes: .sensor)
                subscriptions.append(device.motionSource.subscribe(request) { events.process($0, sensor: sensor.id) })
            }
        }
        if parts.parts.contains(.accessories) {
            subscriptions.append(device.accessorySource.subscribe { events.process($0) })
        }
        if parts.parts.contains(.beacons) { subscriptions.append(device.beaconSource.subscribe { events.process($0) }) }
        return subscriptions
    }

    /// Returns a trace output that writes to standard output. After a stop request, writes wait at most 2 s for a slow
    /// reader.
    private static func standardOutput(until stop: StopRequest) -> TraceOutput {
        TraceOutput(
            pipe: Descriptor.standardOutput.number, name: "standard output", shouldKeepWaiting: stop.gracePeriod())
    }

    private static func isFailure(_ reason: StopRequest.Reason) -> Bool {
        if case .failed = reason { true } else { false }
    }

    /// Returns the stop reason for an error. A pipe closed by its reader is not a failure.
    private static func reason(of error: DeviceError) -> StopRequest.Reason {
        if case .system(_, DeviceError.brokenPipe) = error.cause { return .outputClosed }
        return .failed(error, .inputOutput)
    }
}

/// The parts to record in a trace, parsed from a list on the command line.
struct PartNames: ExpressibleByArgument, CustomStringConvertible {
    private static let names: [(String, TraceParts)] = [
        ("position", .position), ("motion", .motion), ("battery", .battery), ("accessories", .accessories),
        ("beacons", .beacons),
    ]

    let parts: TraceParts

    init(parts: TraceParts) { self.parts = parts }

    init?(argument: String) {
        var parts: TraceParts = []
        for word in argument.split(separator: ",") {
            guard let (_, part) = Self.names.first(where: { $0.0 == word }) else { return nil }
            parts.insert(part)
        }
        guard !parts.isEmpty else { return nil }
        self.parts = parts
    }

    var description: String { Self.names.filter { parts.contains($0.1) }.map(\.0).joined(separator: ",") }

    static var allValueStrings: [String] { names.map(\.0) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
