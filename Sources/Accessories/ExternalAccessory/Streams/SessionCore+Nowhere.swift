// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension SessionCore {
    /// A session with nobody, over already.
    static func nowhere() -> SessionCore {
        let (channel, other) = MemoryChannel.pair(capacity: 1)
        other.close()
        let device = Device(
            name: "nowhere", clock: LiveClock(), configuration: Configuration(),
            positionSource: PositionHub(demandChanged: {}))
        let core = SessionCore(channel: channel, device: device, accessory: EAAccessory(), name: "")
        core.shut()
        return core
    }
}
