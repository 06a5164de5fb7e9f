// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import LiveDevice
import Synchronization

/// A function of UdevSource, joined at link time: see LiveDevice.
@_silgen_name("DeviceServices_liveAccessorySource")
private func liveAccessorySource(configuration: Configuration, clock: any DeviceClock) -> any AccessorySource

extension LiveDevice {
    private static let accessorySource = liveAccessorySource(configuration: shared.configuration, clock: shared.clock)

    private static let link: Void = linkedAccessories.withLock { $0 = { accessorySource } }

    /// `shared`, with what is attached to it.
    package static var withAccessories: Device {
        _ = link
        return shared
    }

    /// `resolved`, with what is attached to it.
    static var resolvedWithAccessories: Device {
        _ = link
        return resolved
    }
}
