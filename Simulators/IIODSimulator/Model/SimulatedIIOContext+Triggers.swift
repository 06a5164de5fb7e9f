// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import IIOFormat

extension SimulatedIIOContext {
    /// The name of the trigger that is set; empty when none is.
    func trigger(of device: Int) throws(IIODStatus) -> String {
        guard let place = triggers[device] else { throw .noEntry }
        return context.devices.indices.contains(place) ? context.devices[place].name : ""
    }

    /// Sets the trigger of that id, name or label, or none.
    mutating func setTrigger(_ name: String?, of device: Int) throws(IIODStatus) {
        guard triggers[device] != nil else { throw .noEntry }
        guard let name else {
            triggers[device] = -1
            return
        }
        guard let place = index(of: name) else { throw .noEntry }
        guard context.devices[place].isTrigger else { throw .invalid }
        triggers[device] = place
    }

    /// True when the buffer cannot start because no trigger is set.
    func lacksTrigger(_ device: Int) -> Bool {
        devicesNeedingTrigger.contains(context.devices[device].id) && (triggers[device] ?? -1) < 0
    }
}
