// SPDX-License-Identifier: Apache-2.0

/// Persistent names of devices: a reconnected device may receive another number.
struct PersistentDeviceNames {
    private struct Entry {
        let key: String
        let fingerprint: String
        var id: String?
    }

    private static let capacity = 256

    private var entries: [Entry] = []

    mutating func update(_ devices: [(id: String, fingerprint: String)]) -> [String: String] {
        for index in entries.indices {
            let entry = entries[index]
            // A device that is still present with its ID keeps its name.
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
            // A name equal to the ID is preferred to other unused names of the same model.
            let unusedIndices = entries.indices.filter {
                entries[$0].id == nil && entries[$0].fingerprint == device.fingerprint
            }
            if let index = unusedIndices.first(where: { entries[$0].key == device.id }) ?? unusedIndices.first {
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
