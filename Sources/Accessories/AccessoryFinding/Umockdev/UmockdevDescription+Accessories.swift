// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension UmockdevDescription {
    /// The accessories of the description, by the rules that hold for live devices.
    public var accessories: [AccessoryDescription] {
        var tree = AccessoryTree()
        for record in records { tree.put(record) }
        return tree.descriptions
    }
}
