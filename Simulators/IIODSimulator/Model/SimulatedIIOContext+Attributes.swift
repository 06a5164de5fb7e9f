// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import SystemCalls

/// The attribute that a READ or WRITE names, or all attributes in the scope if `name` is nil.
struct IIODAttributePath: Hashable {
    enum Scope: Hashable {
        case device, debug, buffer
        case channel(id: String, isOutput: Bool)
    }

    var device: String
    var scope: Scope
    var name: String?
}

/// Reading and writing of attributes, with the same errors as iiod and the kernel's drivers.
extension SimulatedIIOContext {
    typealias List = WritableKeyPath<IIOContext, [IIOAttribute]>

    /// Returns the attribute list to which a READ or WRITE refers, and the indices of the list's device and channel.
    func list(_ path: IIODAttributePath) throws(IIODStatus) -> (device: Int, channel: Int?, list: List) {
        let device = try device(path.device)
        switch path.scope {
        case .device: return (device, nil, \.devices[device].attributes)
        case .debug: return (device, nil, \.devices[device].debugAttributes)
        case .buffer: return (device, nil, \.devices[device].bufferAttributes)
        case .channel(let id, let isOutput):
            let channels = context.devices[device].channels
            // iiod accepts either a channel's id or its name.
            let index = channels.firstIndex {
                $0.isOutput == isOutput && ($0.id == id || (!$0.name.isEmpty && $0.name == id))
            }
            guard let index else { throw .noChannel }
            return (device, index, \.devices[device].channels[index].attributes)
        }
    }

    func attribute(_ name: String, in list: List) throws(IIODStatus) -> Int {
        guard let index = context[keyPath: list].firstIndex(where: { $0.name == name }) else { throw .noEntry }
        return index
    }

    func number(_ name: String, device: Int, channel: Int) -> Double? {
        context.devices[device].channels[channel].attribute(name)?.number
    }

    /// Returns the index of an attribute whose file can be opened for writing.
    func writable(_ name: String, in list: List) throws(IIODStatus) -> Int {
        // Opening a missing sysfs file for writing fails with EACCES, because sysfs does not support creat(2).
        guard let index = context[keyPath: list].firstIndex(where: { $0.name == name }),
            !SimulatedIIOContext.isReadOnly(name)
        else { throw .notAllowed }
        return index
    }

    /// Returns the error for a write without data: the error from opening the attribute's file for writing, or EIO if
    /// the file can be opened.
    func emptyWriteError(_ path: IIODAttributePath) -> IIODStatus {
        do throws(IIODStatus) {
            let (_, _, list) = try list(path)
            if let name = path.name { _ = try writable(name, in: list) }
            return .inputOutput
        } catch {
            return error
        }
    }

    /// Writes an attribute after checking the value as a driver does. Some attributes cannot be changed while the
    /// buffer is enabled.
    mutating func write(
        _ text: String, to name: String, in list: List, device: Int, isBufferEnabled: Bool
    ) throws(IIODStatus) {
        let index = try writable(name, in: list)
        let attribute = context[keyPath: list][index]
        let value = try storedValue(text, for: attribute, in: list, device: device)
        if isBufferEnabled, ["current_timestamp_clock", "scale"].contains(name) { throw .busy }
        context[keyPath: list][index].value = value
        guard attribute.filename != attribute.name else { return }
        // Several channels may share a file, such as in_accel_scale. Writing to it changes the attributes of all of
        // them.
        for channel in context.devices[device].channels.indices {
            for other in context.devices[device].channels[channel].attributes.indices
            where context.devices[device].channels[channel].attributes[other].filename == attribute.filename {
                context.devices[device].channels[channel].attributes[other].value = value
            }
        }
    }

    private func storedValue(
        _ text: String, for attribute: IIOAttribute, in list: List, device: Int
    ) throws(IIODStatus) -> String {
        if attribute.name == "current_timestamp_clock" {
            let name = text.hasSuffix("\n") ? String(text.dropLast()) : text
            guard IIOTimestampClock(rawValue: name) != nil else { throw .invalid }
            return name
        }
        if let available = available(for: attribute, in: list, device: device) {
            guard let listed = available.listed(text) else { throw .invalid }
            return listed
        }
        // These attributes can be changed only if they have a list of available values. For example, a driver that can
        // change the scale lists the available scales.
        if ["raw", "input", "offset", "scale"].contains(attribute.name) { throw .invalid }
        guard attribute.name.hasSuffix("sampling_frequency") || attribute.number != nil else { return text }
        guard let number = KernelNumber(text), let value = number.value else { throw .invalid }
        if attribute.name.hasSuffix("sampling_frequency"), value <= 0 { throw .invalid }
        return number.text(like: attribute.value ?? "")
    }

    /// Returns the available values for an attribute, or nil if they are not listed. Searches the list that contains
    /// the attribute, then the device's attributes, then the attributes of its channels.
    private func available(for attribute: IIOAttribute, in list: List, device: Int) -> IIOAvailableValues? {
        let wanted = [attribute.filename + "_available", attribute.name + "_available"]
        let places =
            [context[keyPath: list], context.devices[device].attributes]
            + context.devices[device].channels.map(\.attributes)
        for name in wanted {
            for attributes in places {
                let found = attributes.first { $0.filename == name || $0.name == name }
                if let text = found?.text, !text.isEmpty { return IIOAvailableValues(text) }
            }
        }
        return nil
    }

    /// Returns true for attributes that are read-only because they describe the hardware. As in the kernel, raw values
    /// and offsets are not read-only.
    private static func isReadOnly(_ name: String) -> Bool {
        name.hasSuffix("_available")
            || ["mount_matrix", "matrix", "name", "label", "location", "data_available", "direction"].contains(name)
    }
}

/// The clocks that can provide sample timestamps. The raw values are the names that `current_timestamp_clock` accepts.
enum IIOTimestampClock: String, Sendable {
    case realtime
    case monotonic
    case monotonicRaw = "monotonic_raw"
    case realtimeCoarse = "realtime_coarse"
    case monotonicCoarse = "monotonic_coarse"
    case boottime
    case tai

    var now: Int64 {
        // Some C libraries do not export the names of all clocks to Swift, so the numbers are used instead. They are
        // part of the kernel's ABI.
        let number: clockid_t =
            switch self {
            case .realtime: 0
            case .monotonic: 1
            case .monotonicRaw: 4
            case .realtimeCoarse: 5
            case .monotonicCoarse: 6
            case .boottime: 7
            case .tai: 11
            }
        return systemTime(number) ?? 0
    }
}
