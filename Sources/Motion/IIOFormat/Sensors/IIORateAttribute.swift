// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Where the attribute sits that sets the sampling rate of a sensor.
public enum IIORateAttribute: Sendable, Hashable {
    /// An attribute of the device, of that name.
    case device(String)
    /// An attribute of the channel at that place in the device's list, of that name.
    case channel(Int, String)
}
