// SPDX-License-Identifier: Apache-2.0

/// Creates temporary files and directories with unique names.
package enum TemporaryFiles {
    /// The suffix of a template that mkdtemp(3) and mkstemp(3) replace with unique characters.
    private static let templateSuffix = "XXXXXX"

    /// Returns the directory in `TMPDIR`, or `other` if the variable is unset or empty.
    package static func directory(default other: String) -> String {
        let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return named.isEmpty ? other : named
    }

    /// Creates a directory that only its owner can access, and returns its path. Returns nil on failure, with the
    /// reason in `errno`.
    package static func createDirectory(prefix: String, in place: String) -> String? {
        make(prefix, in: place) { mkdtemp($0) != nil }
    }

    /// Creates a file without a name and returns its descriptor. The file is deleted when its last descriptor is
    /// closed. Returns nil on failure, with the reason in `errno`.
    package static func createUnlinkedFile(prefix: String, in place: String) -> Int32? {
        var descriptor: Int32 = -1
        let made = make(prefix, in: place) { name in
            descriptor = mkstemp(name)
            return descriptor >= 0
        }
        guard let made else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(made)
        return descriptor
    }

    /// True if `createDirectory` can return a directory of this name for the prefix.
    package static func isDirectoryName(_ name: String, prefix: String) -> Bool {
        name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + templateSuffix.utf8.count
    }

    private static func make(
        _ prefix: String, in place: String, _ call: (UnsafeMutablePointer<CChar>) -> Bool
    ) -> String? {
        var name = Array("\(place)/\(prefix)\(templateSuffix)".utf8CString)
        let isMade = name.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map(call) ?? false }
        guard isMade else { return nil }
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
