// SPDX-License-Identifier: Apache-2.0

public import IIOFormat

/// The devices that a simulated iiod serves: attributes with values, some of them writable, and triggers.
///
/// Written attributes follow the kernel's rules: an attribute with a list accepts the listed values, numbers have neither
/// exponents nor spaces, `current_timestamp_clock` accepts the names of clocks, and descriptions of the hardware are
/// read-only.
public struct SimulatedIIOContext: Sendable {
    /// The devices with the values that their attributes have now.
    public internal(set) var context: IIOContext
    /// Ids of devices whose buffer starts only with a trigger set, as those of most drivers without a FIFO do.
    public var devicesNeedingTrigger: Set<String> = []
    /// The trigger of each device that takes triggers, by place in the list; -1 when none is set.
    var triggers: [Int: Int] = [:]

    /// A simulation of those devices.
    ///
    /// Channels are sorted by scan index, as libiio does, because channel masks count in that order. Every device with a
    /// buffer accepts a trigger. Its first trigger is that whose name begins with the device's name and a hyphen, if any.
    /// Attributes without a value read as empty.
    public init(_ context: IIOContext) {
        var context = context
        for place in context.devices.indices {
            let channels = context.devices[place].channels.enumerated()
            context.devices[place].channels = channels.sorted {
                ($0.element.scan?.index ?? .max, $0.offset) < ($1.element.scan?.index ?? .max, $1.offset)
            }.map(\.element)
            for (name, value) in [("data_available", "0"), ("direction", "in")] {
                let attributes = context.devices[place].bufferAttributes
                guard let found = attributes.firstIndex(where: { $0.name == name && $0.value == nil }) else { continue }
                context.devices[place].bufferAttributes[found].value = value
            }
        }
        self.context = context
        let found = context.devices.indices.filter { context.devices[$0].isTrigger }
        for place in context.devices.indices where context.devices[place].channels.contains(where: { $0.scan != nil }) {
            let name = context.devices[place].name
            triggers[place] = found.first { !name.isEmpty && context.devices[$0].name.hasPrefix(name + "-") } ?? -1
        }
    }

    /// The value of an attribute; nil when there is none.
    ///
    /// Keys are `device/attribute`, `device/buffer/attribute`, `device/input/channel/attribute` and so on, with the
    /// device's id.
    public func value(for key: String) -> String? { context.value(for: key) }

    /// Sets the value of an attribute, whatever it is, without the checks that clients go through; false when there is
    /// no such attribute.
    @discardableResult
    public mutating func setValue(_ value: String, for key: String) -> Bool { context.setValue(value, for: key) }

    /// The place of the device of that id, name or label.
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
    /// The name of the trigger that is set. Without one, iiod 0.24 returns -EIO, because it cannot read an empty file.
    func trigger(of device: Int) throws(IIODStatus) -> String {
        guard let place = triggers[device] else { throw .noEntry }
        guard context.devices.indices.contains(place) else { throw .inputOutput }
        return context.devices[place].name
    }

    /// Sets the trigger of that id, name or label, or none.
    mutating func setTrigger(_ name: String?, of device: Int) throws(IIODStatus) {
        var place = -1
        if let name {
            guard let index = index(of: name) else { throw .noEntry }
            guard context.devices[index].isTrigger else { throw .invalid }
            place = index
        }
        guard triggers[device] != nil else { throw .noEntry }
        triggers[device] = place
    }

    /// True when the buffer cannot start because no trigger is set.
    func lacksTrigger(_ device: Int) -> Bool {
        devicesNeedingTrigger.contains(context.devices[device].id) && (triggers[device] ?? -1) < 0
    }
}
