// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Foundation
import JSONBytes
import LiveDevice
import SimulatedDevice
import Trace

/// `sensorctl calibrate`
struct CalibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Finds what is wrong with the sensors, with your help, and stores it.",
        discussion: """
            gyro: leave the device alone for a few seconds. accelerometer: lay and stand it on its six sides. mount: on \
            three of them, which says how the chip sits in the device. magnetometer: turn it into all directions. It says \
            what to do, and goes on by itself. Without a name it does what this device needs. What was found counts for \
            every program of this user from its next start on; a mount matrix is printed for the files that hold one.

            With --trace the readings come from a recording, and nothing is stored. With --json each line is a result, in \
            rad/s, m/s^2 and gauss, and what to do is said on standard error.

            Exits with 69 when a calibration comes to nothing. See sensorctl --help for the other exit codes.
            """)

    @Argument(help: "What to calibrate: gyro, accelerometer, mount or magnetometer; what makes sense otherwise.")
    var topic: CalibrationTopic?

    @Option(help: "Take the readings of a recording.")
    var trace: String?

    @Option(name: [.customLong("output")], help: "Write the results to this file as well, an object a line.")
    var file: String?

    @Flag(help: "Print what is stored.")
    var show = false

    @Flag(help: "Forget what is stored.")
    var forget = false

    @Flag(name: [.customLong("dry-run"), .customLong("no-store")], help: "Store nothing.")
    var isTrial = false

    @Flag(help: "Keep a mount as it was measured, also where it is close to quarter turns.")
    var exact = false

    @Option(help: "Give a step up after that many seconds.")
    var timeout = 120.0

    @OptionGroup(title: "Recordings of other programs, with --trace") var imports: ImportOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if trace == nil, let name = imports.description.keys.min() {
            throw ValidationError("--\(name) goes with --trace.")
        }
        guard timeout > 0, timeout <= 86_400 else { throw ValidationError("--timeout takes seconds, more than 0.") }
        guard !(show && forget) else { throw ValidationError("--show and --forget exclude each other.") }
        if show || forget, trace != nil || file != nil || isTrial {
            throw ValidationError("--show and --forget are about what is stored, and take no other options.")
        }
    }

    func run() async throws {
        let stop = Stop()
        let termination = Termination(stop)
        defer { withExtendedLifetime(termination) {} }
        try await calibrate(stop: stop).end()
    }

    @MainActor private func calibrate(stop: Stop) async throws -> ExitStatus {
        let output = StandardOutput(stop: stop)
        if show || forget {
            let stored = StoredCalibrations(LiveDevice.shared)
            let status =
                forget ? stored.forget(topic) : stored.show(topic, asJSON: self.output.json, output: output)
            return stop.reason?.status(isComplete: true, shortfall: "") ?? status
        }
        let file = try trace.map { try imports.read($0) }
        let device = file == nil ? LiveDevice.shared : nil
        let topics: [CalibrationTopic]
        let sensors = file?.findSensors() ?? device?.motionSource.sensors ?? []
        switch Self.topics(topic, sensors: sensors, isTrace: file != nil) {
        case .success(let found): topics = found
        case .failure(let shortfall):
            Notes.fail(shortfall.reason)
            return .unavailable
        }
        var status = ExitStatus.success
        var results: [UInt8] = []
        for topic in topics where stop.reason == nil {
            let session = CalibrationSession(
                task: topic.task(keepsExact: exact), screen: screen(output), output: output, timeout: timeout,
                stop: stop)
            let ending: CalibrationSession.Ending
            if let file {
                ending = await session.run(on: SimulatedDevice(file))
            } else if let device {
                ending = await session.run(on: device)
            } else {
                ending = .stopped
            }
            switch ending {
            case .found(let outcome, let sensor):
                let path = store(outcome, sensor, on: device, &status)
                print(outcome, sensor, path: path, output, &results)
            case .failed(let shortfall):
                Notes.fail("\(topic.rawValue): \(shortfall.reason)")
                status = .unavailable
            case .stopped: break
            }
        }
        if case .signal? = stop.reason, !self.output.json { Notes.say("stopped; what was not finished is not stored") }
        if let path = self.file, !results.isEmpty, !Self.write(results, to: path) { status = .cannotCreate }
        return stop.reason?.status(isComplete: true, shortfall: "") ?? status
    }

    private func screen(_ output: StandardOutput) -> any CalibrationScreen {
        if self.output.json { return LineScreen { Notes.say($0.trimmingCharacters(in: .whitespaces)) } }
        let isPicture = trace == nil && Descriptor.standardOutput.isTerminal && Ink.canMoveCursor
        return isPicture ? PictureScreen(output) : LineScreen { output.write(line: $0) }
    }

    /// What is to be done, and in which order.
    static func topics(
        _ wanted: CalibrationTopic?, sensors: [SensorDescription], isTrace: Bool
    ) -> Result<[CalibrationTopic], CalibrationShortfall> {
        let kinds = Set(sensors.map(\.kind))
        if let wanted {
            if kinds.contains(wanted.kind) { return .success([wanted]) }
            let reason =
                isTrace
                ? "The recording holds no readings of \(wanted.kind.nameWithArticle)."
                : "There is no \(wanted.kind.name). `sensorctl doctor` says what is missing."
            return .failure(CalibrationShortfall(reason: reason))
        }
        // Where something already says how the chip sits, asking the user again would only bring doubt.
        let isMounted = sensors.first { $0.kind == .accelerometer }.map { !$0.mountMatrix.isIdentity } ?? false
        let topics = CalibrationTopic.allCases.filter { kinds.contains($0.kind) && !($0 == .mount && isMounted) }
        guard topics.isEmpty else { return .success(topics) }
        return .failure(
            CalibrationShortfall(
                reason: isTrace
                    ? "The recording holds no motion."
                    : "There is no motion sensor. `sensorctl doctor` says what is missing."))
    }

    /// Where it was stored; nil when it was not.
    private func store(
        _ outcome: CalibrationOutcome, _ sensor: SensorDescription?, on device: Device?, _ status: inout ExitStatus
    ) -> String? {
        guard let device, !isTrial, let sensor else { return nil }
        do throws(DeviceError) {
            return try StoredCalibrations(device).keep(outcome, of: sensor)
        } catch {
            Notes.fail(error.description)
            status = .cannotCreate
            return nil
        }
    }

    private func print(
        _ outcome: CalibrationOutcome, _ sensor: SensorDescription?, path: String?, _ output: StandardOutput,
        _ results: inout [UInt8]
    ) {
        var writer = JSONWriter()
        outcome.write(to: &writer, sensor: sensor) { writer in
            writer.key("stored")
            if let path { writer.string(path) } else { writer.null() }
        }
        writer.newline()
        results += writer.bytes
        if self.output.json {
            output.write(writer.bytes)
            return
        }
        for line in outcome.lines(of: sensor) { output.write(line: "  \(line)") }
        if let path { output.write(line: "  stored in \(path)") }
    }

    private static func write(_ bytes: [UInt8], to path: String) -> Bool {
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            return true
        } catch {
            Notes.fail("\(path) cannot be written: \(error.localizedDescription)")
            return false
        }
    }
}

extension CalibrationTopic {
    /// What does it.
    func task(keepsExact: Bool) -> any CalibrationTask {
        switch self {
        case .gyro: RestTask()
        case .accelerometer: AccelerometerTask()
        case .mount: MountTask(keepsExact: keepsExact)
        case .magnetometer: MagnetometerTask()
        }
    }
}
