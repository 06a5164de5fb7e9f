// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import Foundation

/// A temporary directory that is removed on deinitialization.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "accessories-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file in place.
    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    /// Creates or replaces a file atomically.
    func put(_ name: String, _ text: String) throws {
        try write(name + ".tmp", text)
        try rename(name + ".tmp", name)
    }

    func rename(_ name: String, _ other: String) throws {
        guard Foundation.rename("\(path)/\(name)", "\(path)/\(other)") == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    /// Returns the declaration of an accessory.
    static func accessory(_ name: String) -> String {
        #"{"name": "\#(name)", "protocols": {"com.example": {"socket": "\#(name).sock"}}}"#
    }
}
