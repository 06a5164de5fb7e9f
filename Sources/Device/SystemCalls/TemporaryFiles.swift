// SPDX-License-Identifier: Apache-2.0

/// Files and folders that are not to last: where they lie, and names that nobody else has.
package enum TemporaryFiles {
    /// What the system puts letters of its own in place of, at the end of a name.
    private static let wildcards = "XXXXXX"

    /// The folder that TMPDIR names, else the other.
    package static func place(otherwise other: String) -> String {
        let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return named.isEmpty ? other : named
    }

    /// Makes a folder that nobody else may look into, and answers its path; nil with the reason in errno.
    package static func makeFolder(_ prefix: String, in place: String) -> String? {
        make(prefix, in: place) { mkdtemp($0) != nil }
    }

    /// Makes a file without a name, which is gone when nobody has it open any more; nil with the reason in errno.
    package static func makeNamelessFile(_ prefix: String, in place: String) -> Int32? {
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

    /// True for a name that `makeFolder` may have given with that prefix.
    package static func isName(_ name: String, of prefix: String) -> Bool {
        name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + wildcards.utf8.count
    }

    private static func make(
        _ prefix: String, in place: String, _ call: (UnsafeMutablePointer<CChar>) -> Bool
    ) -> String? {
        var name = Array("\(place)/\(prefix)\(wildcards)".utf8CString)
        let isMade = name.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map(call) ?? false }
        guard isMade else { return nil }
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
