// SPDX-License-Identifier: Apache-2.0

public import IIOFormat

/// The devices of a simulated iiod, with triggers and attributes.
///
/// Writes follow the kernel's rules. If an attribute has a list of available values, only these values are accepted.
/// Numbers must contain neither exponents nor spaces. `current_timestamp_clock` accepts the names of clocks. Attributes
/// that describe the hardware are read-only.
public struct SimulatedIIOContext: Sendable {
    package internal(set) var context: IIOContext
    /// The IDs of devices whose buffer cannot be enabled without a trigger. Most drivers for sensors without a FIFO
    /// have this restriction.
    package var devicesNeedingTrigger: Set<String> = []
    /// The index of each device's trigger, or -1 if none is set. Contains only devices that support triggers.
    var triggers: [Int: Int] = [:]

    /// Creates a simulation of the devices in a context.
    ///
    /// Channels are sorted by scan index, as in libiio, because channel masks use this order. Every device with a
    /// buffer supports triggers and initially uses the first trigger whose name begins with the device's name and a
    /// hyphen. An attribute that has no value reads as an empty string.
    public init(_ context: IIOContext) {
        var context = context
        for device in context.devices.indices {
            let channels = context.devices[device].channels.enumerated()
            context.devices[device].channels = channels.sorted {
                ($0.element.scan?.index ?? .max, $0.offset) < ($1.element.scan?.index ?? .max, $1.offset)
            }.map(\.element)
            for (name, value) in [("data_available", "0"), ("direction", "in")] {
                let attributes = context.devices[device].bufferAttributes
                guard let found = attributes.firstIndex(where: { $0.name == name && $0.value == nil }) else { continue }
                context.devices[device].bufferAttributes[found].value = value
            }
        }
        self.context = context
        let found = context.devices.indices.filter { context.devices[$0].isTrigger }
        for device in context.devices.indices where context.devices[device].channels.contains(where: { $0.scan != nil })
        {
            let name = context.devices[device].name
            triggers[device] = found.first { !name.isEmpty && context.devices[$0].name.hasPrefix(name + "-") } ?? -1
        }
    }

    /// Returns the index of the device with the given id, name or label.
    func index(of device: String) -> Int? {
        guard !device.isEmpty else { return nil }
        return context.devices.firstIndex { $0.id == device || $0.name == device || $0.label == device }
    }

    func device(_ name: String) throws(IIODStatus) -> Int {
        guard let index = index(of: name) else { throw .noDevice }
        return index
    }
}

extension SimulatedIIOContext {
    /// Returns the name of the current trigger. Without a trigger, iiod 0.24 replies with -EIO.
    func trigger(of device: Int) throws(IIODStatus) -> String {
        guard let triggerIndex = triggers[device] else { throw .noEntry }
        guard context.devices.indices.contains(triggerIndex) else { throw .inputOutput }
        return context.devices[triggerIndex].name
    }

    /// Sets a device's trigger, given the trigger's id, name or label. nil removes the trigger.
    mutating func setTrigger(_ name: String?, of device: Int) throws(IIODStatus) {
        var triggerIndex = -1
        if let name {
            guard let index = index(of: name) else { throw .noEntry }
            guard context.devices[index].isTrigger else { throw .invalid }
            triggerIndex = index
        }
        guard triggers[device] != nil else { throw .noEntry }
        triggers[device] = triggerIndex
    }

    func lacksTrigger(_ device: Int) -> Bool {
        devicesNeedingTrigger.contains(context.devices[device].id) && (triggers[device] ?? -1) < 0
    }
}
