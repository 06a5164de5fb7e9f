// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension AccessoryDescription {
    /// The accessories among devices of the kernel, by path: what a live source would tell of.
    public static func found(in records: [UdevRecord], rules: [AccessoryRule] = []) -> [AccessoryDescription] {
        var tree = AccessoryTree(rules: rules)
        for record in records { tree.put(record) }
        return tree.descriptions
    }
}
