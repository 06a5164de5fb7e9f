// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Foundation
import TestSupport
import UmockdevFormat

/// The devices of a umockdev description, as reported by a monitor.
enum UmockdevFile {
    private static let folder = Checkout.traces.appendingPathComponent("udev")

    static func records(_ name: String) throws -> [UdevRecord] {
        try UmockdevDescription(path: folder.appendingPathComponent("\(name).umockdev").path).records
    }
}
