// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What went otherwise than recorded, as far as there is room.
final class AccessoryDifferences: Sendable {
    /// The most differences that are kept.
    static let maximumCount = 100

    private let list = Mutex<[AccessoryDifference]>([])

    var all: [AccessoryDifference] { list.withLock { $0 } }

    func add(_ differences: [AccessoryDifference]) {
        list.withLock { list in list += differences.prefix(max(0, Self.maximumCount - list.count)) }
    }
}
