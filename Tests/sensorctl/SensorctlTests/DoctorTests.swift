// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorTools
import Testing

@testable import sensorctl

@Suite(
    "sensorctl doctor", .toolIsBuilt, .waiting, .enabled(if: Tool.readsSensors, "sensorctl was built without libiio"))
struct DoctorTests {
    /// Runs `doctor` on a simulated board.
    private static func examine(_ faults: [String] = [], environment: [String: String] = [:]) throws -> Tool.Result {
        try Tool.run(
            ["simulate", "iio", Tool.csv("flat-face-up")] + faults
                + ["--", try #require(Tool.path), "doctor", "--json", "--seconds", "5"], environment: environment)
    }

    private static func findings(_ result: Tool.Result, _ level: String) throws -> [String] {
        try Tool.objects(result).filter { $0["level"] as? String == level }.compactMap { $0["message"] as? String }
    }

    @Test("On a healthy board, `doctor` exits with 0, and each JSON line has the documented keys")
    func healthy() throws {
        let server = try FakeGPSD(lines: [])
        let result = try Self.examine(environment: server.environment)
        #expect(result.status == 0)
        let objects = try Tool.objects(result)
        for object in objects where object["kind"] as? String == "setting" {
            #expect(Set(object.keys) == ["kind", "name", "value", "origin"])
        }
        let findings = objects.filter { $0["kind"] as? String == "finding" }
        for finding in findings {
            #expect(Set(finding.keys) == ["kind", "level", "topic", "message", "repair"])
            #expect(finding["repair"] is [String])
        }
        #expect(findings.count + objects.count { $0["kind"] as? String == "setting" } == objects.count)
        let origins = objects.filter { $0["name"] as? String == "motion" }.compactMap { $0["origin"] as? String }
        #expect(origins == ["environment variable DEVICE_SERVICES_IIO"])
        let good = try Self.findings(result, "good").joined(separator: "\n")
        #expect(good.contains("accelerometer simulated_accel delivers readings (buffered, "))
        #expect(good.contains("gyroscope simulated_anglvel delivers readings"))
        #expect(try Self.findings(result, "problem").isEmpty)
    }

    @Test("An unreachable gpsd is reported with the command that starts it, and the status is 69")
    func noService() throws {
        let result = try Self.examine()
        #expect(result.status == 69)
        let problem = try #require(try Tool.objects(result).first { $0["level"] as? String == "problem" })
        #expect(problem["topic"] as? String == "positions")
        #expect((problem["repair"] as? [String])?.contains("sudo systemctl enable --now gpsd.socket") == true)
    }

    @Test("A sensor in use by another program is reported as a problem")
    func busy() throws {
        let server = try FakeGPSD(lines: [])
        let result = try Self.examine(["--fault", "open=EBUSY(iio:device0)"], environment: server.environment)
        #expect(result.status == 69)
        let problems = try Self.findings(result, "problem")
        #expect(problems.count == 1)
        #expect(problems.first?.contains("in use by another program") == true)
    }

    @Test("A buffer without samples is reported as a remark, because the sensor is polled instead")
    func stalled() throws {
        let server = try FakeGPSD(lines: [])
        let result = try Self.examine(["--fault", "stall"], environment: server.environment)
        #expect(result.status == 0)
        #expect(try Self.findings(result, "remark").contains { $0.contains("Its buffer delivers no samples") })
        #expect(try Self.findings(result, "good").contains { $0.contains("delivers readings (polled") })
    }

    @Test("An unreachable IIO server is reported with the reason")
    func unreachable() throws {
        let result = try Tool.run(
            ["doctor", "--json"], environment: ["DEVICE_SERVICES_IIO": "ip:127.0.0.1:1", "DEVICE_SERVICE_GPSD": "x"])
        #expect(result.status == 69)
        let problems = try Self.findings(result, "problem")
        #expect(problems.contains { $0.contains("ip:127.0.0.1:1 does not respond") && $0.contains("refused") })
        #expect(problems.contains { $0.contains("DEVICE_SERVICE_GPSD is unknown") })
        #expect(!problems.contains { $0.contains("No motion sensor was found") })
    }

    @Test("A misspelled address is reported as a configuration problem")
    func wrongAddress() throws {
        let result = try Tool.run(["doctor"], environment: ["DEVICE_SERVICES_IIO": "ipp:board"])
        #expect(result.status == 69)
        #expect(result.output.contains("\"ipp:board\" is not the address of motion sensors"))
    }
}

@Suite("Query of the position source")
struct ServiceProbeTests {
    /// A position source whose state a test sets.
    private struct ScriptedPositions: PositionSource {
        var receivers: [ReceiverDescription] = []
        var lastFix: PositionFix?
        /// The events that a subscription delivers at once.
        var events: [PositionEvent] = []

        func subscribe(
            _ request: PositionRequest, receive: @escaping @Sendable (PositionEvent) -> Void,
            onBatchComplete: @escaping @Sendable () -> Void
        ) -> Subscription {
            events.forEach(receive)
            return Subscription {}
        }
    }

    private static func query(_ source: ScriptedPositions) async -> ServiceStatus {
        let device = Device(
            name: "test", clock: LiveClock(), configuration: Configuration(), positionSource: source)
        return await ServiceProbe.query(device, timeout: 0.1, stop: StopRequest())
    }

    @Test("A source that is already connected answers with the receivers that it has reported")
    func connected() async {
        var receiver = ReceiverDescription()
        receiver.path = "/dev/ttyACM0"
        let status = await Self.query(ScriptedPositions(receivers: [receiver]))
        #expect(status.failure == nil)
        #expect(status.receivers?.map(\.path) == ["/dev/ttyACM0"])
    }

    @Test("A current or retained fix of a board shows that its broker responds")
    func board() async {
        let fix = PositionFix(report: PositionReport(), sky: nil)
        #expect(await Self.query(ScriptedPositions(events: [.report(fix.report)])).failure == nil)
        #expect(await Self.query(ScriptedPositions(lastFix: fix)).failure == nil)
        #expect(await Self.query(ScriptedPositions()).failure?.code == .silent)
    }
}
