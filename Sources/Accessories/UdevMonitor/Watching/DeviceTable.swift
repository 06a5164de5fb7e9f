// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import UdevRecords

/// The devices that are known, by their paths. Each change returns what is news.
struct DeviceTable {
    private(set) var devices: [String: UdevRecord] = [:]
    /// True when a device was left out because there were too many, until all are looked through and find room.
    private(set) var isOverfull = false
    private let limit: Int

    /// An empty table for that many devices.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// A message says that a device is there.
    mutating func update(_ record: UdevRecord, isAdd: Bool, exists: Bool) -> [UdevEvent] {
        guard let known = devices[record.path] else {
            // A late message about a device that is gone already.
            return isAdd || exists ? insert(record) : []
        }
        // That the former one was removed has been lost.
        if isAdd, exists, Self.areDifferent(known, record) { return replace(known, with: record) }
        var record = record
        if !isAdd || !exists {
            // While a device is torn down its attributes vanish one by one, and the message about that comes last.
            record.attributes = known.attributes.merging(record.attributes) { _, new in new }
            if record.usbInterface.isEmpty { record.usbInterface = known.usbInterface }
            if record.usbDevice.isEmpty { record.usbDevice = known.usbDevice }
        }
        return renew(known, record)
    }

    /// Takes over what is known of a device now, and tells it when that is news.
    private mutating func renew(_ known: UdevRecord, _ record: UdevRecord) -> [UdevEvent] {
        var record = record
        // A message of udevd says that its rules have been run; of a device without a node it often keeps no record.
        if known.isInitialized { record.isInitialized = true }
        guard record != known else { return [] }
        devices[record.path] = record
        if record.node.isEmpty {
            var former = known
            former.isInitialized = record.isInitialized
            if former == record { return [] }
        }
        return [.added(record)]
    }

    /// A message says that a device is gone.
    mutating func remove(_ path: String) -> [UdevEvent] {
        devices.removeValue(forKey: path).map { [.removed($0)] } ?? []
    }

    /// These are all devices there are. What differs is news: first those that are gone, children before parents, then
    /// those that are there, parents before children.
    mutating func resynchronise(_ records: [UdevRecord]) -> [UdevEvent] {
        var present: [String: UdevRecord] = [:]
        for record in records { present[record.path] = record }
        let replaced = devices.values.filter { known in
            present[known.path].map { Self.areDifferent(known, $0) } ?? false
        }.map(\.path)
        let gone = devices.keys.filter { path in
            present[path] == nil || replaced.contains { path == $0 || Self.isBelow(path, $0) }
        }
        var news = gone.sorted(by: >).flatMap { remove($0) }
        isOverfull = false
        for record in Self.sorted(present.values) {
            news += devices[record.path].map { renew($0, record) } ?? insert(record)
        }
        return news
    }

    /// All devices, parents before children.
    var all: [UdevRecord] { Self.sorted(devices.values) }

    private mutating func replace(_ known: UdevRecord, with record: UdevRecord) -> [UdevEvent] {
        let below = devices.keys.filter { Self.isBelow($0, known.path) }.sorted(by: >)
        return (below + [known.path]).flatMap { remove($0) } + insert(record)
    }

    private mutating func insert(_ record: UdevRecord) -> [UdevEvent] {
        guard devices.count < limit else {
            isOverfull = true
            return []
        }
        devices[record.path] = record
        return [.added(record)]
    }

    /// True for two devices that were plugged in at one place, one after the other: the number of a device on its bus
    /// grows with each.
    private static func areDifferent(_ first: UdevRecord, _ second: UdevRecord) -> Bool {
        guard let former = first.properties["DEVNUM"], let latter = second.properties["DEVNUM"] else { return false }
        return former != latter
    }

    private static func isBelow(_ path: String, _ parent: String) -> Bool {
        path.utf8.count > parent.utf8.count && path.hasPrefix(parent)
            && path.utf8.dropFirst(parent.utf8.count).first == UInt8(ascii: "/")
    }

    private static func sorted(_ records: some Sequence<UdevRecord>) -> [UdevRecord] {
        records.sorted { $0.path < $1.path }
    }
}
