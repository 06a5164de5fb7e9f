// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Tells what phyphox exported from other tables and folders.
enum PhyphoxFiles {
    /// So many files of a folder are looked at.
    private static let maximumFiles = 32
    /// So many bytes hold the header of a table.
    private static let prefixSize = 1 << 16

    /// True for a folder in which one of the tables is of phyphox.
    static func areIn(_ folder: String, _ names: [String]) throws(DeviceError) -> Bool {
        for name in names.filter({ $0.lowercased().hasSuffix(".csv") }).prefix(maximumFiles) {
            let path = "\(folder)/\(name)"
            guard !Folder.isFolder(path) else { continue }
            let prefix = try FileChunks.open(path, limit: prefixSize).prefix(prefixSize)
            let header = prefix.withUnsafeBytes { Recording.csvColumns(of: $0) }
            if PhyphoxColumn.areThere(in: header, sheet: name.lowercased()) { return true }
        }
        return false
    }

    /// Reads a table, with what the folder that it lies in says of the experiment.
    static func load(_ path: String, _ bytes: [UInt8]) throws(DeviceError) -> Recording {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        return try Recording(phyphoxTable: bytes, path: path) { (name) throws(DeviceError) in
            try Folder.readIfPresent(folder + name)
        }
    }
}
