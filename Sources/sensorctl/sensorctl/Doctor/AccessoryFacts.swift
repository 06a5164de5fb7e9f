// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// What `doctor` looks at of accessories.
struct AccessoryFacts: Sendable {
    var accessories: [AccessoryDescription] = []
    var candidates: [AccessoryCandidate] = []
    /// Why accessories, or some of them, cannot be found.
    var problems: [DeviceError] = []
    /// The nodes of all of them, and of what is declared.
    var nodes: [String: NodeFacts] = [:]
    /// True when udevd runs.
    var hasUdev = true
    /// What kind of container this is; nil when it is none.
    var container: String?
    /// True when ModemManager runs.
    var hasModemManager = false
    /// True when this package's rules for udev are installed.
    var hasRules = true
    /// Folders for declared accessories that do not exist.
    var missingFolders: [String] = []
}
