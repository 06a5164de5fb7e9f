// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// The sysfs directories of IIO devices.
enum SysfsDirectory {
    static let devices = "/sys/bus/iio/devices"

    static func device(_ id: String) -> String { "\(devices)/\(id)" }

    static func names(_ path: String) -> [String]? { DirectoryEntries.names(path, limit: 1024) }

    static func resolvedPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Writes a short text to a kernel file. Returns the error number; 0 on success.
    static func write(_ text: String, to path: String) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { systemWrite(descriptor, $0) } == bytes.count ? 0 : errno
    }

    /// Returns the first line of a short file; nil if the file cannot be read.
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = systemRead(descriptor, buffer)
            guard count >= 0 else { return nil }
            return String(decoding: buffer[..<count].prefix { $0 != 0 && $0 != 0x0A }, as: UTF8.self)
        }
    }
}
