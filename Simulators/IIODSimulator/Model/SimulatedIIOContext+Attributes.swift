// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

struct IIODAttributePath: Hashable {
    enum Place: Hashable {
        case device, debug, buffer
        case channel(id: String, isOutput: Bool)
    }

    /// The id, name or label of the device.
    var device: String
    var place: Place
    /// Nil for all attributes of the place.
    var name: String?
}

extension SimulatedIIOContext {
    /// The list of attributes of a place, as a path into the context.
    typealias List = WritableKeyPath<IIOContext, [IIOAttribute]>

    /// Where the attributes of a READ or WRITE are.
    func list(_ path: IIODAttributePath) throws(IIODStatus) -> (device: Int, channel: Int?, list: List) {
        let device = try device(path.device)
        switch path.place {
        case .device: return (device, nil, \.devices[device].attributes)
        case .debug: return (device, nil, \.devices[device].debugAttributes)
        case .buffer: return (device, nil, \.devices[device].bufferAttributes)
        case .channel(let id, let isOutput):
            let channels = context.devices[device].channels
            // Channels are found by id or by name.
            let place = channels.firstIndex {
                $0.isOutput == isOutput && ($0.id == id || (!$0.name.isEmpty && $0.name == id))
            }
            guard let place else { throw .noChannel }
            return (device, place, \.devices[device].channels[place].attributes)
        }
    }

    func attribute(_ name: String, in list: List) throws(IIODStatus) -> Int {
        guard let place = context[keyPath: list].firstIndex(where: { $0.name == name }) else { throw .noEntry }
        return place
    }

    /// The number of a channel's attribute, with its own file or with one for all axes.
    func number(_ name: String, device: Int, channel: Int) -> Double? {
        context.devices[device].channels[channel].attribute(name)?.number
    }

    /// The index of an attribute whose file can be opened for writing.
    func writable(_ name: String, in list: List) throws(IIODStatus) -> Int {
        // Without create(), the directories of sysfs refuse a file that is not there with EACCES.
        guard let place = context[keyPath: list].firstIndex(where: { $0.name == name }),
            !SimulatedIIOContext.isReadOnly(name)
        else { throw .notAllowed }
        return place
    }

    /// The error of an empty write: that of opening the file, or EIO if it can be opened.
    func emptyWriteError(_ path: IIODAttributePath) -> IIODStatus {
        do throws(IIODStatus) {
            let (_, _, list) = try list(path)
            if let name = path.name { _ = try writable(name, in: list) }
            return .inputOutput
        } catch {
            return error
        }
    }

    /// Writes an attribute as a driver does.
    ///
    /// - Parameter isCapturing: True while the buffer is enabled. Drivers then refuse another clock or scale.
    mutating func write(
        _ text: String, to name: String, in list: List, device: Int, isCapturing: Bool
    ) throws(IIODStatus) {
        let place = try writable(name, in: list)
        let attribute = context[keyPath: list][place]
        let value = try accepted(text, for: attribute, in: list, device: device)
        if isCapturing, ["current_timestamp_clock", "scale"].contains(name) { throw .busy }
        context[keyPath: list][place].value = value
        guard attribute.filename != attribute.name else { return }
        // One file serves several channels, such as in_accel_scale.
        for channel in context.devices[device].channels.indices {
            for other in context.devices[device].channels[channel].attributes.indices
            where context.devices[device].channels[channel].attributes[other].filename == attribute.filename {
                context.devices[device].channels[channel].attributes[other].value = value
            }
        }
    }

    /// The value that the driver has afterwards.
    private func accepted(
        _ text: String, for attribute: IIOAttribute, in list: List, device: Int
    ) throws(IIODStatus) -> String {
        if attribute.name == "current_timestamp_clock" {
            let name = text.hasSuffix("\n") ? String(text.dropLast()) : text
            guard IIOStampClock(rawValue: name) != nil else { throw .invalid }
            return name
        }
        if let available = available(for: attribute, in: list, device: device) {
            guard let listed = available.listed(text) else { throw .invalid }
            return listed
        }
        // Drivers that can change a scale list its values.
        if ["raw", "input", "offset", "scale"].contains(attribute.name) { throw .invalid }
        guard attribute.name.hasSuffix("sampling_frequency") || attribute.number != nil else { return text }
        guard let number = KernelNumber(text), let value = number.value else { throw .invalid }
        if attribute.name.hasSuffix("sampling_frequency"), value <= 0 { throw .invalid }
        return number.text(like: attribute.value ?? "")
    }

    /// The values that the driver lists for an attribute, beside it or for the device as a whole.
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

    /// Returns true for descriptions of the hardware. Raw values and offsets are not among them: the kernel makes their files
    /// writable, although few drivers accept a value.
    private static func isReadOnly(_ name: String) -> Bool {
        name.hasSuffix("_available")
            || ["mount_matrix", "matrix", "name", "label", "location", "data_available", "direction"].contains(name)
    }
}
