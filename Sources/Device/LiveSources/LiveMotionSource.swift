// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import IIOSource

/// The live motion source over the contexts that the configuration names. Nothing is opened yet.
///
/// The frameworks reach this function by its link name and never import this module: see LiveDevice.
@_silgen_name("DeviceServices_liveMotionSource")
public func liveMotionSource(configuration: Configuration, clock: any DeviceClock) -> any MotionSource {
    let addresses = configuration.motionSources.value
    let source = IIOSource(addresses: addresses, settings: configuration.sensors.value, clock: clock)
    // Servers say nothing of devices that come.
    return addresses.contains(.local) ? WatchedMotionSource(source, clock: clock) : source
}
