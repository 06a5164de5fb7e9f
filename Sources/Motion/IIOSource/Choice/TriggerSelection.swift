// SPDX-License-Identifier: Apache-2.0

import IIOFormat

/// Chooses one of the context's triggers for a device's buffer.
enum TriggerSelection {
    enum Decision: Equatable {
        case keep
        case set(Int)
        /// No trigger matches the device. The associated value lists the names that such a trigger usually has. The
        /// buffer is opened without a trigger, because the device may not need one.
        case withoutTrigger([String])
        /// The configured trigger does not exist. `offered` lists the existing triggers.
        case missing(String, offered: [String])
    }

    /// `parent` is called only if no trigger matches by name.
    static func decide(
        device: Int, context: IIOContext, configured: String?, state: IIOTriggerState?, parent: (Int) -> String?
    ) -> Decision {
        let triggers = context.devices.indices.filter { context.devices[$0].isTrigger }
        func index(named name: String) -> Int? {
            triggers.first { context.devices[$0].name == name || context.devices[$0].id == name }
        }
        if let configured {
            if let found = index(named: configured) { return .set(found) }
            return .missing(configured, offered: triggers.map { context.devices[$0].name })
        }
        // If the state could not be read, keep the trigger. Opening the buffer will report the error.
        guard state == .some(.none), context.devices.indices.contains(device) else { return .keep }
        let candidateNames = conventionalNames(for: context.devices[device])
        if let found = candidateNames.lazy.compactMap(index(named:)).first { return .set(found) }
        let name = context.devices[device].name
        if !name.isEmpty, let found = triggers.first(where: { context.devices[$0].name.hasPrefix("\(name)-") }) {
            return .set(found)
        }
        if let deviceParent = parent(device), let found = triggers.first(where: { parent($0) == deviceParent }) {
            return .set(found)
        }
        return .withoutTrigger(candidateNames)
    }

    /// Returns the names that drivers usually give to a device's own trigger.
    static func conventionalNames(for device: IIODevice) -> [String] {
        let number = device.id.split(separator: ":").last.map { String($0.drop { !("0"..."9").contains($0) }) } ?? ""
        guard !device.name.isEmpty else { return [] }
        return ["\(device.name)-dev\(number)", "\(device.name)-trigger"]
    }
}
