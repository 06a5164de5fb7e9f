// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import UdevSource

/// The live accessory source over udev and what the configuration declares. Nothing is opened yet.
///
/// The frameworks reach this function by its link name and never import this module: see LiveDevice.
@_silgen_name("DeviceServices_liveAccessorySource")
public func liveAccessorySource(configuration: Configuration, clock: any DeviceClock) -> any AccessorySource {
    UdevSource(configuration: configuration, clock: clock)
}
