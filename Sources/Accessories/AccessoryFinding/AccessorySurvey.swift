// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// What is made of one device that is plugged in.
package struct AccessorySurvey: Sendable, Hashable {
    /// The accessory; nil when the device is none, or not yet.
    package var description: AccessoryDescription?
    /// Parts of it that could be accessories and have no protocol.
    package var candidates: [AccessoryCandidate] = []
    /// What people who look after the machine should know.
    package var remarks: [String] = []
    /// Nodes of the accessory that no udevd has looked after: they may not be there yet.
    package var unattendedNodes: Set<String> = []
    /// Changes when the same port has got another device, or the same one again.
    package var attachment = ""
}
