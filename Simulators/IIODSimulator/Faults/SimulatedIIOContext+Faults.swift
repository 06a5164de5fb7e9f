// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

extension SimulatedIIOContext {
    /// Throws for a fault of a device that is not there.
    func check(_ faults: [IIODFault]) throws(DeviceError) {
        for fault in faults {
            guard let device = fault.device, index(of: device) == nil else { continue }
            let known = context.devices.prefix(20).map { $0.name.isEmpty ? $0.id : "\($0.id) (\($0.name))" }
            throw DeviceError(
                .invalidConfiguration,
                "A fault is of \"\(device.prefix(200))\", which is no device of the simulated iiod: \(known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))")."
            )
        }
    }
}
