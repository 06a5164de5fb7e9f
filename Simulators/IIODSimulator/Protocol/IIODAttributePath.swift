// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
