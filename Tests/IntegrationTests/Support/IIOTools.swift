// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The installed programs of libiio.
enum IIOTools {
    static let info = find("iio_info")
    static let attr = find("iio_attr")
    static let readdev = find("iio_readdev")

    /// The reason for skipping tests without these programs.
    static let missing: Comment = "iio_info, iio_attr or iio_readdev is not installed: apt-get install libiio-utils"

    static var areThere: Bool { info != nil && attr != nil && readdev != nil }

    private static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/bin", "/usr/local/bin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
