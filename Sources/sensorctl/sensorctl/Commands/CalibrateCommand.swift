// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Foundation
import JSONBytes
import LiveDevice
import SensorTools
import SimulatedDevice
import SystemCalls
import Trace

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

            Examples:
              sensorctl calibrate magnetometer
              sensorctl calibrate --show
            """)

    @Argument(help: "What to calibrate: gyro, accelerometer, mount or magnetometer; what makes sense otherwise.")
    var topic: CalibrationTopic?

    @Option(help: "Take the readings of a recording.", completion: .file())
    var trace: String?

    @Option(
        name: [.customLong("output")], help: "Write the results to this file as well, an object a line.",
        completion: .file())
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
        let name = trace == nil ? imports.description.keys.min() : nil
        try Self.refuse(name != nil, "--\(name ?? "") goes with --trace.")
        try Self.refuse(!(timeout > 0 && timeout <= 86_400), "--timeout takes seconds, more than 0.")
        try Self.refuse(show && forget, "--show and --forget exclude each other.")
        try Self.refuse(
            (show || forget) && (trace != nil || file != nil || isTrial),
            "--show and --forget are about what is stored, and take no other options.")
    }

    func run() async throws {
        // Whoever waits for a pipe is ended by any signal.
        let file = try trace.map { try imports.read($0) }
        try await Termination.during { try await calibrate(file, stop: $0) }
    }

    @MainActor private func calibrate(_ file: TraceFile?, stop: Stop) async throws -> ExitStatus {
        let output = StandardOutput(stop: stop)
        if show || forget {
            let stored = StoredCalibrations(LiveDevice.shared)
            return stop.status(or: forget ? forgetStored(stored) : printStored(stored, on: output))
        }
        let topics: [CalibrationTopic]
        let sensors = file?.findSensors() ?? LiveDevice.shared.motionSource.sensors
        switch CalibrationTopic.topics(topic, sensors: sensors, isTrace: file != nil) {
        case .success(let found): topics = found
        case .failure(let shortfall):
            Notes.fail(shortfall.reason)
            return .unavailable
        }
        var status = ExitStatus.success
        var results: [UInt8] = []
        for topic in topics where stop.reason == nil {
            let session = CalibrationSession(
                task: topic.task(keepsExact: exact), screen: screen(output), timeout: timeout, stop: stop)
            let ending: CalibrationSession.Ending
            if let file {
                ending = await session.run(on: SimulatedDevice(file))
            } else {
                ending = await session.run(on: LiveDevice.shared)
            }
            switch ending {
            case .found(let outcome, let sensor):
                let path = store(outcome, sensor, &status)
                print(outcome, sensor, path: path, output, &results)
            case .failed(let shortfall):
                Notes.fail("\(topic.rawValue): \(shortfall.reason)")
                status = .unavailable
            case .stopped: break
            }
        }
        if case .signal? = stop.reason, !self.output.json { Notes.say("stopped; what was not finished is not stored") }
        if let path = self.file, !results.isEmpty, !Self.write(results, to: path) { status = .cannotCreate }
        return stop.status(or: status)
    }

    private func screen(_ output: StandardOutput) -> any CalibrationScreen {
        if self.output.json { return LineScreen { Notes.say($0.trimmingCharacters(in: .whitespaces)) } }
        let isPicture = trace == nil && Descriptor.standardOutput.showsPictures
        return isPicture ? PictureScreen(output) : LineScreen { output.write(line: $0) }
    }

    private func printStored(_ stored: StoredCalibrations, on output: StandardOutput) -> ExitStatus {
        let wanted = stored.entries.filter { topic == nil || $0.outcome.topic == topic }
        for entry in wanted {
            if self.output.json {
                var writer = JSONWriter()
                entry.outcome.write(to: &writer, sensor: entry.sensor, ["date": CivilDate(entry.date).timestamp])
                output.write(writer.bytes)
            } else {
                output.write(line: "\(entry.title), found \(entry.age(at: stored.now))")
                for line in entry.outcome.lines(of: entry.sensor) { output.write(line: "  \(line)") }
            }
        }
        for problem in stored.problems { Notes.warn(problem.description) }
        if wanted.isEmpty { Notes.say("nothing is stored for the sensors that are there") }
        return .success
    }

    private func forgetStored(_ stored: StoredCalibrations) -> ExitStatus {
        do throws(DeviceError) {
            let count = try stored.forget(topic)
            Notes.say(count == 1 ? "forgot one calibration" : "forgot \(count) calibrations")
            return .success
        } catch {
            Notes.fail(error.description)
            return .cannotCreate
        }
    }

    /// Where it was stored; nil when it was not.
    private func store(
        _ outcome: CalibrationOutcome, _ sensor: SensorDescription?, _ status: inout ExitStatus
    ) -> String? {
        guard trace == nil, !isTrial, let sensor else { return nil }
        do throws(DeviceError) {
            return try StoredCalibrations(LiveDevice.shared).keep(outcome, of: sensor)
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
        outcome.write(to: &writer, sensor: sensor, ["stored": path])
        results += writer.bytes
        if self.output.json {
            output.write(writer.bytes)
            return
        }
        for line in outcome.lines(of: sensor) { output.write(line: "  \(line)") }
        if let path { output.write(line: "  stored in \(path)") }
    }

    private static func write(_ bytes: [UInt8], to path: String) -> Bool {
        do throws(DeviceError) {
            // It tells nothing of where somebody was: a new file is as the user's files are.
            let others = umask(0)
            umask(others)
            let output = try TraceOutput(
                whole: path, overwrite: true, mode: FileBytes.isThere(path) ? nil : 0o666 & ~others)
            try output.write(bytes)
            try output.close()
            return true
        } catch {
            Notes.fail(error.description)
            return false
        }
    }
}

extension CalibrationTopic: ExpressibleByArgument {}
