// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// The known devices, keyed by path. The methods that change the table return the events to report.
struct DeviceTable {
    private(set) var devices: [String: UdevRecord] = [:]
    /// True if a device was omitted because the table was full. Reset by the next scan whose devices all fit into the
    /// table.
    private(set) var hasOmittedDevices = false
    private let limit: Int

    init(limit: Int) { self.limit = max(1, limit) }

    mutating func update(_ record: UdevRecord, isAdd: Bool, exists: Bool) -> [UdevEvent] {
        guard let existing = devices[record.path] else {
            // If the device no longer exists, this is a late message about a removed device, and is ignored.
            return isAdd || exists ? insert(record) : []
        }
        // A different device is now attached to the port. The message about the previous device's removal was lost.
        if isAdd, exists, Self.haveDifferentDeviceNumbers(existing, record) { return replace(existing, with: record) }
        var record = record
        if !isAdd || !exists {
            // While a device is being removed, its attributes disappear one by one before the removal message arrives,
            // so the known attributes are kept.
            record.attributes = existing.attributes.merging(record.attributes) { _, new in new }
            if record.usbInterface.isEmpty { record.usbInterface = existing.usbInterface }
            if record.usbDevice.isEmpty { record.usbDevice = existing.usbDevice }
        }
        return updateExisting(existing, record)
    }

    private mutating func updateExisting(_ existing: UdevRecord, _ record: UdevRecord) -> [UdevEvent] {
        var record = record
        // An initialized device stays initialized. A device without a node often has no database entry, even after
        // udevd has run its rules.
        if existing.isInitialized { record.isInitialized = true }
        guard record != existing else { return [] }
        devices[record.path] = record
        if record.node.isEmpty {
            var former = existing
            former.isInitialized = record.isInitialized
            if former == record { return [] }
        }
        return [.added(record)]
    }

    mutating func remove(_ path: String) -> [UdevEvent] {
        devices.removeValue(forKey: path).map { [.removed($0)] } ?? []
    }

    /// Replaces the contents with a complete list of devices. Returns the differences as events. Removed devices come
    /// first, children before parents. Added and changed devices follow, parents before children.
    mutating func resynchronise(_ records: [UdevRecord]) -> [UdevEvent] {
        var scanned: [String: UdevRecord] = [:]
        for record in records { scanned[record.path] = record }
        let replaced = devices.values.filter { existing in
            scanned[existing.path].map { Self.haveDifferentDeviceNumbers(existing, $0) } ?? false
        }.map(\.path)
        let removed = devices.keys.filter { path in
            scanned[path] == nil || replaced.contains { path == $0 || Self.isBelow(path, $0) }
        }
        var events = removed.sorted(by: >).flatMap { remove($0) }
        hasOmittedDevices = false
        for record in Self.sorted(scanned.values) {
            events += devices[record.path].map { updateExisting($0, record) } ?? insert(record)
        }
        return events
    }

    /// All devices. Parents precede their children.
    var all: [UdevRecord] { Self.sorted(devices.values) }

    private mutating func replace(_ existing: UdevRecord, with record: UdevRecord) -> [UdevEvent] {
        let descendants = devices.keys.filter { Self.isBelow($0, existing.path) }.sorted(by: >)
        return (descendants + [existing.path]).flatMap { remove($0) } + insert(record)
    }

    private mutating func insert(_ record: UdevRecord) -> [UdevEvent] {
        guard devices.count < limit else {
            hasOmittedDevices = true
            return []
        }
        devices[record.path] = record
        return [.added(record)]
    }

    /// Returns true if two records with the same path describe different devices, attached to the port one after the
    /// other. The kernel assigns a new device number each time a device is attached.
    private static func haveDifferentDeviceNumbers(_ first: UdevRecord, _ second: UdevRecord) -> Bool {
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
