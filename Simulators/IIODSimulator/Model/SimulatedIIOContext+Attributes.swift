// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import IIOFormat

/// Which attributes a READ or WRITE means.
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

    /// The attribute of that name in the list.
    func attribute(_ name: String, in list: List) throws(IIODStatus) -> Int {
        guard let place = context[keyPath: list].firstIndex(where: { $0.name == name }) else { throw .noEntry }
        return place
    }

    /// The number of a channel's attribute, with its own file or with one for all axes.
    func number(_ name: String, device: Int, channel: Int) -> Double? {
        context.devices[device].channels[channel].attribute(name)?.number
    }
}
