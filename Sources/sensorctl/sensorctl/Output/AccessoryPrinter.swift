// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Prints what the accessory manager tells.
protocol AccessoryPrinter: AnyObject {
    func print(present accessories: [AccessoryReading], at time: WallTime)
    func print(_ change: AccessoryChange, _ accessory: AccessoryReading, at time: WallTime)
}
