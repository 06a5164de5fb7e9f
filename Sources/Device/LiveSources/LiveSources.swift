// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import GPSDSource
public import DeviceCore

/// The live position source that the configuration names.
///
/// The frameworks reach this function by its link name and never import this module: see LiveDevice.
@_silgen_name("DeviceServices_livePositionSource")
public func livePositionSource(configuration: Configuration, clock: any DeviceClock) -> any PositionSource {
    GPSDSource(
        address: configuration.positionSource.value,
        clock: clock,
        repairsWeekRollover: configuration.repairsWeekRollover.value)
}

/// The live source of the machine's state.
@_silgen_name("DeviceServices_liveStatusSource")
public func liveStatusSource(configuration: Configuration, clock: any DeviceClock) -> any StatusSource {
    PowerSupplySource(clock: clock)
}
