// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A directory that exists as long as the object.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "sensorctl-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
