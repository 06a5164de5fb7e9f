// SPDX-License-Identifier: Apache-2.0

import Dashboard
import DeviceCore
import JSONBytes
import SensorTools
import Trace

/// Tracks accessories, their users and their traffic for the dashboard's pages. The messages must match app.js.
/// `DashboardSession` calls `publishIfChanged` every 250 ms. `@unchecked Sendable` is safe, because all calls are made
/// on the main thread, where traces are also played.
final class AccessoryTrafficTracker: @unchecked Sendable {
    private struct Entry {
        var accessory: AccessoryReading
        var isConnected = true
        /// The time at which the accessory was connected or disconnected, in seconds on the session's clock.
        var since: Double
        var users: [String] = []
        /// The numbers of bytes received and sent, or nil if the traffic is not counted.
        var received: Int?
        var sent: Int?

        /// Adds a program unless it is already listed. A seek may add a program again, because it replays session
        /// openings.
        mutating func use(_ name: String) { if !users.contains(name) { users.append(name) } }
    }

    /// The maximum number of data bytes included in a traffic message.
    private static let maximumPublishedBytes = 256
    /// The maximum number of accessories in the list, including disconnected ones.
    private static let maximumEntries = 64

    private let feed: DashboardFeed
    /// True if accessory traffic is counted. Only traces include the bytes; live data does not.
    private let countsTraffic: Bool
    private var entries: [Entry] = []
    private var hasChanged = true

    init(feed: DashboardFeed, isTrace: Bool) { (self.feed, countsTraffic) = (feed, isTrace) }

    func update(_ reading: AccessoryChangeReading, at time: Double) {
        hasChanged = true
        for accessory in reading.accessories {
            // Removes the previous entry for this connection. Also removes disconnected entries for the same accessory,
            // which may have been reconnected. An accessory that has been disconnected keeps its byte counts.
            let former = entries.first { $0.accessory.connectionID == accessory.connectionID }
            entries.removeAll {
                $0.accessory.connectionID == accessory.connectionID
                    || !$0.isConnected && $0.accessory.isSame(as: accessory)
            }
            var entry = Entry(
                accessory: accessory, since: time, received: former?.received ?? (countsTraffic ? 0 : nil),
                sent: former?.sent ?? (countsTraffic ? 0 : nil))
            entry.isConnected = reading.change != .disconnected
            entries.append(entry)
            if entries.count > Self.maximumEntries { entries.removeFirst() }
        }
    }

    /// Sets the names of the programs that use each accessory, keyed by connection ID. Used for live devices only.
    func set(users: [Int: [String]]) {
        for index in entries.indices {
            let names = users[entries[index].accessory.connectionID] ?? []
            hasChanged = hasChanged || entries[index].users != names
            entries[index].users = names
        }
    }

    func process(_ change: TraceAccessoryEvent.Change, of id: Int, at time: Double) {
        guard let index = entries.firstIndex(where: { $0.isConnected && $0.accessory.connectionID == id }) else {
            return
        }
        hasChanged = true
        switch change {
        case .opened(let name): entries[index].use(name)
        case .closed(let name, _): entries[index].users.removeAll { $0 == name }
        case .received(let name, let bytes):
            entries[index].received = (entries[index].received ?? 0) + bytes.count
            entries[index].use(name)
            publishTraffic(bytes, "received", of: id, at: time)
        case .sent(let name, let bytes):
            entries[index].sent = (entries[index].sent ?? 0) + bytes.count
            entries[index].use(name)
            publishTraffic(bytes, "sent", of: id, at: time)
        case .attached, .detached: break
        }
    }

    private func publishTraffic(_ bytes: [UInt8], _ direction: String, of id: Int, at time: Double) {
        feed.publish(
            "traffic", .recent,
            [
                "t": time, "id": id, "direction": direction, "count": bytes.count,
                "bytes": Base64.text(bytes.prefix(Self.maximumPublishedBytes)),
            ])
    }

    func publishIfChanged() {
        guard hasChanged else { return }
        hasChanged = false
        feed.publish("accessories", list: entries) { entry in
            let accessory = entry.accessory
            return [
                "id": accessory.connectionID, "name": accessory.name, "manufacturer": accessory.manufacturer,
                "model": accessory.model, "serial": accessory.serial, "protocols": accessory.protocols,
                "connected": entry.isConnected, "since": entry.since, "users": entry.users,
                "received": entry.received, "sent": entry.sent,
            ]
        }
    }

    /// Called after a seek. Keeps the connected accessories but clears their users and resets their byte counts.
    func seek(to time: Double) {
        hasChanged = true
        entries.removeAll { !$0.isConnected }
        for index in entries.indices {
            entries[index].since = min(entries[index].since, time)
            entries[index].users = []
            if countsTraffic { (entries[index].received, entries[index].sent) = (0, 0) }
        }
    }
}

extension AccessoryReading {
    fileprivate func isSame(as other: AccessoryReading) -> Bool {
        name == other.name && serial == other.serial && model == other.model
    }
}
