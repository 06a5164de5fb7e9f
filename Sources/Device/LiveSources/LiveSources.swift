// SPDX-License-Identifier: Apache-2.0

import BlueZSource
package import DeviceCore
import GPSDSource
import IIOSource
import Logging
#if LibMosquitto
import MQTTClient
#endif

/// The frameworks call the functions in this file by link name instead of importing the module. See LiveDevice.
@_silgen_name("DeviceServices_livePositionSource")
package func livePositionSource(configuration: Configuration, clock: any DeviceClock) -> any PositionSource {
    #if LibMosquitto
    let mqttSource = MQTTSource(
        address: configuration.positionSource.value, files: configuration.brokerFiles.value, clock: clock)
    if let mqttSource { return mqttSource }
    #endif
    let log = Logger(label: "device-services.location")
    return GPSDSource(
        address: configuration.positionSource.value, clock: clock,
        repairsWeekRollover: configuration.repairsWeekRollover.value
    ) { warning in log.warning("\(warning)") }
}

@_silgen_name("DeviceServices_liveBeaconSource")
package func liveBeaconSource(configuration: Configuration, clock: any DeviceClock) -> any BeaconSource {
    BlueZSource(clock: clock)
}

@_silgen_name("DeviceServices_liveStatusSource")
package func liveStatusSource(configuration: Configuration, clock: any DeviceClock) -> any StatusSource {
    PowerSupplySource(clock: clock)
}

/// Creates the motion source for the configured IIO contexts, which are opened later.
@_silgen_name("DeviceServices_liveMotionSource")
package func liveMotionSource(configuration: Configuration, clock: any DeviceClock) -> any MotionSource {
    let addresses = configuration.motionSources.value
    let source = IIOSource(addresses: addresses, settings: configuration.sensors.value, clock: clock)
    // IIO servers do not report added devices, so only local devices are watched.
    return addresses.contains(.local) ? HotplugMotionSource(source, clock: clock) : source
}
