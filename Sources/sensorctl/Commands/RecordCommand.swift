// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import DeviceCore
import LiveDevice
import Trace

/// `sensorctl record`
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Records what gpsd says into a trace.",
        discussion: """
            Goes on until it is ended, also while gpsd is away; the trace then says so. With --json it prints what \
            happens: an object with "event" started, lost, regained or ended a line.

            Exits with 69 when --duration ends before gpsd has said anything, with 73 when FILE cannot be created, and with \
            74 when it cannot be written on. See sensorctl --help for the other exit codes.
            """)

    @Argument(help: "The trace to write; - for standard output.")
    var file: String

    @Option(help: "End after that many seconds.")
    var duration: Double?

    @Flag(help: "Replace the file if there is one.")
    var overwrite = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try WatchCommand.validate(duration: duration)
        if file == "-", output.json { throw ValidationError("--json needs standard output for itself: name a file.") }
    }

    func run() async throws {
        try await record().end()
    }

    @MainActor private func record() async -> ExitStatus {
        let device = LiveDevice.shared
        let authorization = LocationAuthorization.current
        guard authorization.status != .denied, authorization.status != .restricted else {
            Notes.fail("The configuration does not allow the use of the position (location.authorization).")
            return .noPermission
        }
        let stop = Stop()
        let termination = Termination(stop)
        defer { withExtendedLifetime(termination) {} }
        let events = RecordingEvents(file: file, device: device, asJSON: output.json, stop: stop)
        let recorder: TraceRecorder
        do throws(DeviceError) {
            recorder = TraceRecorder(
                device: device, writer: try TraceWriter(path: file, overwrite: overwrite), recorder: "sensorctl 0.1.0",
                onFailure: { stop.request(Self.reason(of: $0)) })
            try recorder.start()
        } catch {
            Notes.fail(error.description)
            return .cannotCreate
        }
        events.started()
        let subscription = device.positionSource.subscribe(PositionRequest()) { events.take($0) }
        Termination.schedule(stop, after: duration)
        let reason = await stop.wait()
        subscription.cancel()
        var end = reason
        do throws(DeviceError) {
            try recorder.stop()
        } catch {
            end = Self.reason(of: error)
        }
        events.ended(lines: recorder.recordedLines)
        return end.status(
            isComplete: recorder.recordedLines > 0, shortfall: "gpsd has said nothing in \(duration ?? 0) s.")
    }

    /// A pipe whose reader has gone is no failure.
    private static func reason(of error: DeviceError) -> Stop.Reason {
        if case .system(_, DeviceError.brokenPipe) = error.cause { return .outputClosed }
        return .failed(error, .inputOutput)
    }
}
