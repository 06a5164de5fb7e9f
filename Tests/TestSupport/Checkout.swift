// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The files of this checkout, however deep the test that asks lies in it.
package enum Checkout {
    /// The folder that holds Package.swift.
    package static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path + "/scripts/test") {
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    /// Recorded data.
    package static let traces = root.appendingPathComponent("Simulators/Traces")
}
