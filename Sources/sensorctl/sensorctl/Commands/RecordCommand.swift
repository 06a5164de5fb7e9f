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
        commandName: "record",
        abstract: "Records what gpsd, the sensors and the accessories say into a trace.",
        usage: "sensorctl record <file> [<options>]",
        discussion: """
            Records every line of gpsd, every motion sensor in its own axes, the battery, and accessories as they come \
            and go (`sensorctl talk --record` records what is said to one); stored calibrations go along. Goes on until it is ended, \
            also while gpsd or a sensor is away; the trace then says so. With --json it prints what happens: an object \
            with "event" started, lost, regained, attached, detached or ended a line, with a "sensor" or an "accessory" \
            where it is about one. Recording never waits for who reads it: what nobody reads in time is left out, and \
            "missed" tells how many "events" that were. When FILE is a folder the trace in it is called by its time \
            (2026-05-01T10-00-00Z-recording.trace).

            With --ring it is a black box: only the last minutes are on the disk, in segments, and are saved as a trace \
            when something happens, with what comes for --after behind it. FILE may then be a folder, in which traces are \
            called by their time and event (2026-05-01T10-00-00Z-impact-4g.trace); a further one for a FILE gets a number. \
            A header's "triggers" tell what happened when. The ring lies in FOLDER/.ring or FILE.ring, and goes when the \
            recording is ended. When that is killed or the power fails, the next recording saves what is left, beside its \
            own work; what cannot be read is kept beside it as damaged, and where there is no room for twice as \
            much the ring stays as it is for the next time. A ring takes --ring-size at most, and as much again while a \
            trace is saved. When the disk is full or fails, recording ends with 74 and the ring stays. --json tells of it \
            with the events triggered and saved.

            Exits with 69 when --duration ends before anything could be recorded, with 73 when FILE cannot be created, and with \
            74 when it cannot be written on. See sensorctl --help for the other exit codes.

            Examples:
              sensorctl record drive.jsonl
              sensorctl record drive.jsonl --parts position,motion --duration 600
              sensorctl record --ring 10m --on 'impact>4g,lost-fix' traces/
            """)

    @Argument(help: "The trace to write; - for standard output.", completion: .file())
    var file: String

    @Option(
        help:
            "What to record: position, motion, battery, accessories, beacons, with commas between them; otherwise everything but beacons, for which Bluetooth has to listen all the time."
    )
    var parts: PartNames = PartNames(parts: .usual)

    @Option(help: "Seconds between readings of a motion sensor; 0 for as many as it gives.")
    var interval = 0.01

    @Option(help: "End after that many seconds.")
    var duration: Double?

    @OptionGroup var new: NewFileOptions

    @OptionGroup var blackBox: BlackBoxOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Self.validate(duration: duration)
        try Self.validate(interval: interval)
        if try blackBox.plan != nil {
            if file == "-" { throw ValidationError("--ring needs a place on the disk: name a file or a folder.") }
            if new.overwrite { throw ValidationError("--ring replaces nothing: leave --overwrite out.") }
        }
        if file == "-", output.json { throw ValidationError("--json needs standard output for itself: name a file.") }
    }

    func run() async throws { try await Termination.during { await record($0) } }

    @MainActor private func record(_ stop: Stop) async -> ExitStatus {
        let device = LiveDevice.withAccessories
        let authorization = LocationAuthorization.current
        let mayUsePosition = authorization.status != .denied && authorization.status != .restricted
        let plan = try? blackBox.plan
        guard mayUsePosition || !(parts.parts.contains(.position) || plan?.needsPosition == true) else {
            Notes.fail(
                "The configuration does not allow the use of the position (location.authorization). Record the rest with --parts motion,battery."
            )
            return .noPermission
        }
        let file = plan == nil ? newFile(at: device.clock.wallTime) : file
        let events = RecordingEvents(file: file, device: device, parts: parts.parts, asJSON: output.json, stop: stop)
        let recorder: TraceRecorder
        var box: BlackBoxSession?
        do throws(DeviceError) {
            // The name may have been meant for a file, before somebody else put a link to a folder there.
            if file != self.file, NewFile.isForeignLink(self.file) {
                throw NewFile.failure(self.file, call: "open", errno: EEXIST)
            }
            if let plan {
                box = try BlackBoxSession(
                    RingPlace(file, mode: new.mode?.bits), plan, clock: device.clock, events: events, stop: stop)
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
                parts: parts.parts, motionInterval: interval, onFailure: { stop.request(Self.reason(of: $0)) })
            try recorder.start()
        } catch {
            if case .outputClosed = Self.reason(of: error) { return .success }
            Notes.fail(error.description)
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
        if let box, let failure = box.finish(isFailure: Self.isFailure(reason)) { end = .failed(failure, .inputOutput) }
        do throws(DeviceError) {
            try recorder.stop()
        } catch {
            end = Self.reason(of: error)
        }
        do throws(DeviceError) {
            if !Self.isFailure(end) { try box?.discard() }
        } catch {
            end = Self.reason(of: error)
        }
        let (lines, samples) = (recorder.recordedLines, recorder.recordedSamples)
        let (accessories, sightings) = (recorder.recordedAccessoryEvents, recorder.recordedSightings)
        events.ended(lines: lines, samples: samples, accessories: accessories, sightings: sightings)
        events.finish()
        // Its own output may have failed with the last lines.
        if !Self.isFailure(end), let last = stop.reason, Self.isFailure(last) { end = last }
        return end.status(
            isComplete: lines + samples + accessories + sightings > 0,
            shortfall: "There was nothing to record in \(duration ?? 0) s.")
    }

    /// The trace to write: in a folder one that is called by its time, so that a service needs no name for each.
    private func newFile(at time: WallTime) -> String {
        let place = RingPlace(file)
        return file != "-" && place.isFolder ? place.path(at: time, for: "recording") : file
    }

    /// What tells of losses and returns while the recorder records.
    ///
    /// - Parameter position: true when positions are looked at, recorded or not.
    private func subscriptions(to device: Device, _ events: RecordingEvents, position: Bool) -> [Subscription] {
        var subscriptions: [Subscription] = []
        if position || parts.parts.contains(.position) {
            subscriptions.append(device.positionSource.subscribe(PositionRequest()) { events.take($0) })
        }
        if parts.parts.contains(.motion) {
            for sensor in device.motionSource.sensors {
                // Asks for no rate of its own.
                let request = MotionRequest(kind: sensor.kind, sensor: sensor.id, everyReading: true, axes: .sensor)
                subscriptions.append(device.motionSource.subscribe(request) { events.take($0, sensor: sensor.id) })
            }
        }
        if parts.parts.contains(.accessories) {
            subscriptions.append(device.accessorySource.subscribe { events.take($0) })
        }
        if parts.parts.contains(.beacons) { subscriptions.append(device.beaconSource.subscribe { events.take($0) }) }
        return subscriptions
    }

    /// Who does not read must not keep the verb from its end.
    private static func standardOutput(until stop: Stop) -> TraceOutput {
        TraceOutput(
            pipe: Descriptor.standardOutput.number, name: "standard output", isPatient: stop.patience())
    }

    private static func isFailure(_ reason: Stop.Reason) -> Bool { if case .failed = reason { true } else { false } }

    /// A pipe whose reader has gone is no failure.
    private static func reason(of error: DeviceError) -> Stop.Reason {
        if case .system(_, DeviceError.brokenPipe) = error.cause { return .outputClosed }
        return .failed(error, .inputOutput)
    }
}

/// Parts of a trace, as they are written on the command line.
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
