// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files and folders without Foundation.
enum Folder {
    /// The largest file that is imported, in bytes: its readings take a few times that much.
    static var maximumFileSize: Int { Int.bitWidth > 32 ? 1 << 29 : 1 << 26 }
    /// The most names of a folder that are looked at.
    private static let maximumNames = 10_000

    /// True when the path leads to a folder.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The bytes of a file.
    static func read(_ path: String) throws(DeviceError) -> [UInt8] {
        try FileBytes.read(path, limit: maximumFileSize)
    }

    /// The bytes of a file; nil when there is none of that name.
    static func readIfPresent(_ path: String) throws(DeviceError) -> [UInt8]? {
        var status = stat()
        guard stat(path, &status) == 0 || errno != ENOENT else { return nil }
        return try read(path)
    }

    /// The names in a folder, in order.
    static func names(_ path: String) throws(DeviceError) -> [String] {
        guard let folder = opendir(path) else {
            throw FileBytes.failedToRead(path, call: "opendir", errno: errno)
        }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < maximumNames, let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Writes files into a folder, which is made when it is not there.
    static func write(
        _ files: [(name: String, bytes: [UInt8])], to path: String, overwrite: Bool
    ) throws(DeviceError) {
        if mkdir(path, 0o755) != 0, errno != EEXIST {
            throw FileBytes.failedToWrite(path, call: "mkdir", errno: errno)
        }
        for file in files { try FileBytes.write(file.bytes, to: "\(path)/\(file.name)", overwrite: overwrite) }
    }
}
