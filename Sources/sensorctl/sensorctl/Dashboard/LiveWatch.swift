// SPDX-License-Identifier: Apache-2.0

import Dashboard
import DeviceCore
import JSONBytes
import SensorTools

/// What the dashboard finds out of a live machine again and again: what `doctor` finds, and who uses it.
@MainActor
final class LiveWatch {
    /// Between two looks at who uses the position, in seconds.
    static let pause = 2.0
    /// How long doctor listens to sensors.
    private static let listening = 1.5

    private let device: Device
    private let feed: DashboardFeed
    private let clock: SessionClock
    private let stop: Stop
    private var isExamining = false

    init(_ device: Device, feed: DashboardFeed, clock: SessionClock, stop: Stop) {
        (self.device, self.feed, self.clock, self.stop) = (device, feed, clock, stop)
    }

    /// Looks what there is to be mended, unless that is being done.
    func examine() async {
        guard !isExamining else { return }
        isExamining = true
        defer { isExamining = false }
        let report = await DoctorCommand.examine(
            device, seconds: Self.listening, isListening: true, stop: stop)
        guard let report else { return }
        feed.tell(findings: report.findings, at: clock.now)
    }

    /// The programs that use the position, beside this one.
    func users() async -> [PositionUser] {
        let address = device.configuration.positionSource.value
        guard address.broker == nil else { return [] }
        return await Self.clients(port: address.port)
    }

    @concurrent private static func clients(port: UInt16) async -> [PositionUser] {
        ServiceClients(port: port).clients.map { PositionUser(name: $0.name, pid: $0.pid, wants: "gpsd") }
    }

    /// Who has accessories open, by their numbers.
    func accessoryUsers() async -> [Int: [String]] { await AccessoryUsers.find(device.accessorySource.accessories) }
}

/// A program that uses the position, and what it wants.
struct PositionUser: Sendable, Equatable {
    var name: String
    var pid: Int32?
    /// Seconds on the session's clock; nil where nobody knows.
    var since: Double?
    var wants: String
}

extension DashboardFeed {
    func tell(findings: [(level: String, topic: String, message: String, repair: [String])], at time: Double) {
        let levels = ["good": "ok", "remark": "note", "problem": "error"]
        tell(
            DashboardMessage("doctor", .state) { writer in
                writer.array("findings") { writer in
                    for finding in findings {
                        writer.object { writer in
                            writer.member("level", levels[finding.level] ?? finding.level)
                            writer.member("title", finding.topic)
                            writer.member("text", finding.message)
                            writer.member("mend", finding.repair.joined(separator: "\n"))
                        }
                    }
                }
                writer.member("at", time)
            })
    }

    func tell(users: [PositionUser]) {
        tell(
            DashboardMessage("users", .state) { writer in
                writer.array("list") { writer in
                    for user in users {
                        writer.object { writer in
                            writer.member("name", user.name)
                            writer.member("pid", user.pid)
                            writer.member("since", user.since)
                            writer.member("wants", user.wants)
                        }
                    }
                }
            })
    }
}
