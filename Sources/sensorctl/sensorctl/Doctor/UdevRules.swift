// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The rules for udev that this package brings along.
enum UdevRules {
    /// The name to install them under.
    static let fileName = "65-external-accessory.rules"
}
