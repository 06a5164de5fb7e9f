// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import TestSupport

/// The receiver logs of gpsd's regression tests.
enum Logs {
    private static let folder = Checkout.traces.appending(path: "gpsd")

    static func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }

    static func lines(_ name: String) throws -> [String] {
        try bytes(name).split(whereSeparator: { $0 == 10 || $0 == 13 }).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the reports in a file of gpsd's expected output.
    static func reports(_ name: String) throws -> [GPSDReport] {
        var decoder = GPSDDecoder()
        return try lines(name).filter { $0.hasPrefix("{") }.map { line in
            [UInt8](line.utf8).withUnsafeBytes { decoder.decode($0) }
        }
    }
}
