// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The files of this checkout, regardless of the depth of the calling test.
package enum Checkout {
    /// The folder that contains Package.swift.
    package static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path + "/scripts/test") {
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    /// The recorded data.
    package static let traces = root.appendingPathComponent("Simulators/Traces")
}
