// SPDX-License-Identifier: Apache-2.0

/// Lasting names for devices: one that is plugged in again may come back under another number.
struct DeviceNames {
    private struct Entry {
        let key: String
        let fingerprint: String
        var id: String?
    }

    private static let capacity = 256

    private var entries: [Entry] = []

    /// The names of the devices that there are now, by their ids.
    mutating func update(_ devices: [(id: String, fingerprint: String)]) -> [String: String] {
        for index in entries.indices {
            let entry = entries[index]
            // A device that is still there under its number keeps its name.
            if !devices.contains(where: { $0.id == entry.id && $0.fingerprint == entry.fingerprint }) {
                entries[index].id = nil
            }
        }
        var names: [String: String] = [:]
        for device in devices {
            if let index = entries.firstIndex(where: { $0.id == device.id }) {
                names[device.id] = entries[index].key
                continue
            }
            // The former place of the same device first, then any that a device of this model has left.
            let left = entries.indices.filter {
                entries[$0].id == nil && entries[$0].fingerprint == device.fingerprint
            }
            if let index = left.first(where: { entries[$0].key == device.id }) ?? left.first {
                entries[index].id = device.id
                names[device.id] = entries[index].key
                continue
            }
            entries.removeAll { $0.id == nil && $0.key == device.id }
            let key = entries.contains { $0.key == device.id } ? "\(device.id)+" : device.id
            if entries.count >= Self.capacity { entries.removeAll { $0.id == nil } }
            entries.append(Entry(key: key, fingerprint: device.fingerprint, id: device.id))
            names[device.id] = key
        }
        return names
    }
}
