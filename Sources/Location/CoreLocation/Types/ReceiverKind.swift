// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Remembers of the last receiver whether it is an accessory, which would otherwise be worked out for each report.
struct ReceiverKind: Sendable {
    private var receiver = ""
    private var isKnownAccessory = false

    /// True for a receiver on USB, Bluetooth or a hot-plugged serial line.
    mutating func isAccessory(_ receiver: String) -> Bool {
        if receiver != self.receiver {
            self.receiver = receiver
            isKnownAccessory = LocationConversion.isAccessory(receiver)
        }
        return isKnownAccessory
    }
}
