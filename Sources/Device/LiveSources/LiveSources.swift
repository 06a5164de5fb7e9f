// SPDX-License-Identifier: Apache-2.0

import BlueZSource
public import DeviceCore
import GPSDSource
import IIOSource
#if LibMosquitto
import MQTTSource
#endif

/// The live position source that the configuration names.
///
/// The frameworks reach this function by its link name and never import this module: see LiveDevice.
@_silgen_name("DeviceServices_livePositionSource")
public func livePositionSource(configuration: Configuration, clock: any DeviceClock) -> any PositionSource {
    #if LibMosquitto
    let followed = MQTTSource(
        address: configuration.positionSource.value, files: configuration.brokerFiles.value, clock: clock)
    if let followed { return followed }
    #endif
    return GPSDSource(
        address: configuration.positionSource.value, clock: clock,
        repairsWeekRollover: configuration.repairsWeekRollover.value)
}

/// The live source of beacons.
@_silgen_name("DeviceServices_liveBeaconSource")
public func liveBeaconSource(configuration: Configuration, clock: any DeviceClock) -> any BeaconSource {
    BlueZSource(clock: clock)
}

/// The live source of the machine's state.
@_silgen_name("DeviceServices_liveStatusSource")
public func liveStatusSource(configuration: Configuration, clock: any DeviceClock) -> any StatusSource {
    PowerSupplySource(clock: clock)
}

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
