// SPDX-License-Identifier: Apache-2.0

import IIOFormat

/// Finds the trigger for a device's buffer among those of its context.
enum TriggerChoice {
    /// What to do about the trigger.
    enum Decision: Equatable {
        /// Leave it as it is: one is set, or the device takes none.
        case keep
        /// Set the device with that place in the context.
        case set(Int)
        /// Try without one; these names were looked for.
        case without([String])
        /// The configuration names one that there is not; these there are.
        case missing(String, offered: [String])
    }

    /// Decides for the device at that place. The parent of a device is asked for only when names do not help.
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
        // No answer about the trigger means that the device takes none, or that the buffer will say what is wrong.
        guard state == .some(.none), context.devices.indices.contains(device) else { return .keep }
        let wanted = names(for: context.devices[device])
        if let found = wanted.lazy.compactMap(index(named:)).first { return .set(found) }
        let name = context.devices[device].name
        if !name.isEmpty, let found = triggers.first(where: { context.devices[$0].name.hasPrefix("\(name)-") }) {
            return .set(found)
        }
        if let home = parent(device), let found = triggers.first(where: { parent($0) == home }) { return .set(found) }
        return .without(wanted)
    }

    /// The names that drivers give the triggers of their own devices.
    static func names(for device: IIODevice) -> [String] {
        let number = device.id.split(separator: ":").last.map { String($0.drop { !("0"..."9").contains($0) }) } ?? ""
        guard !device.name.isEmpty else { return [] }
        return ["\(device.name)-dev\(number)", "\(device.name)-trigger"]
    }
}
