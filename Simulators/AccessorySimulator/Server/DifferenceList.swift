// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where programs departed from what was recorded, in words.
final class DifferenceList: Sendable {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func add(_ line: String) {
        state.withLock { lines in
            if lines.count < AccessorySimulator.maximumDifferences { lines.append(line) }
        }
    }
}
