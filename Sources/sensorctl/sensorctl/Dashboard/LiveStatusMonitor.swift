// SPDX-License-Identifier: Apache-2.0

import Dashboard
import DeviceCore
import JSONBytes
import SensorTools

/// Runs `doctor` on a live machine and publishes its findings. Also finds the clients of the machine's services.
@MainActor final class LiveStatusMonitor {
    /// The interval between searches for clients of the machine's services, in seconds.
    static let queryInterval = 2.0
    /// The duration of the sensor tests performed by `doctor`, in seconds.
    private static let trialDuration = 1.5

    private let device: Device
    private let feed: DashboardFeed
    private let clock: SessionClock
    private let stop: StopRequest
    private var isExamining = false

    init(_ device: Device, feed: DashboardFeed, clock: SessionClock, stop: StopRequest) {
        (self.device, self.feed, self.clock, self.stop) = (device, feed, clock, stop)
    }

    func examine() async {
        guard !isExamining else { return }
        isExamining = true
        defer { isExamining = false }
        let report = await DoctorCommand.examine(device, seconds: Self.trialDuration, isListening: true, stop: stop)
        guard let report else { return }
        feed.publish(findings: report.findings, at: clock.now)
    }

    /// Returns gpsd's local clients, or an empty array if positions come from an MQTT broker.
    func positionClients() async -> [PositionClient] {
        let address = device.configuration.positionSource.value
        guard address.broker == nil else { return [] }
        return await Self.clients(port: address.port)
    }

    @concurrent private static func clients(port: UInt16) async -> [PositionClient] {
        ServiceClients(port: port).clients.map { PositionClient(name: $0.name, pid: $0.pid, wants: "gpsd") }
    }

    func accessoryUsers() async -> [Int: [String]] {
        await AccessoryNodeHolders.find(device.accessorySource.accessories)
    }
}

/// A program that uses positions. `wants` lists the services it uses.
struct PositionClient: Sendable, Equatable {
    var name: String
    var pid: Int32?
    /// The time at which the program began to use positions, in seconds on the session's clock, or nil if unknown.
    var since: Double?
    var wants: String
}

extension Finding.Level {
    /// The string that represents the level in messages to the pages.
    fileprivate var pageName: String {
        switch self {
        case .good: "ok"
        case .remark: "note"
        case .problem: "error"
        }
    }
}

/// Messages to the pages. Their types and members must match app.js.
extension DashboardFeed {
    func publish(findings: [Finding], at time: Double) {
        publish(
            DashboardMessage("doctor", .state) { writer in
                writer.objects("findings", findings) { finding in
                    [
                        "level": finding.level.pageName, "title": finding.topic,
                        "text": finding.message, "mend": finding.repair,
                    ]
                }
                writer.member("at", time)
            })
    }

    func publish(clients: [PositionClient]) {
        publish("users", list: clients) { ["name": $0.name, "pid": $0.pid, "since": $0.since, "wants": $0.wants] }
    }
}
