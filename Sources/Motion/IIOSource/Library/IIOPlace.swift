// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Where an attribute sits. Numbers count the devices of a context and the channels of a device.
enum IIOPlace: Hashable, Sendable {
    case device(Int, String)
    case channel(Int, Int, String)

    /// The attribute's name.
    var name: String {
        switch self {
        case .device(_, let name), .channel(_, _, let name): name
        }
    }
}
