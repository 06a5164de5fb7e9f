// SPDX-License-Identifier: Apache-2.0

/// An iterator over the names in a directory, in no particular order. The caller must limit the number of names.
package struct DirectoryEntries: ~Copyable {
    private let stream: OpaquePointer
    /// The error number that ended the iteration; 0 if all names were returned.
    package private(set) var failure: Int32 = 0

    /// Opens a directory. Returns nil on failure, with the reason in `errno`.
    package init?(_ path: String) {
        guard let stream = opendir(path) else { return nil }
        self.stream = stream
    }

    deinit { closedir(stream) }

    /// The descriptor of the directory, valid during the lifetime of this value.
    package var descriptor: Int32 { dirfd(stream) }

    /// Returns the next name except "." and "..". Returns nil at the end and on failure.
    package mutating func next() -> String? {
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                failure = errno
                return nil
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { return name }
        }
    }

    /// Returns up to `limit` names of a directory, sorted. Returns nil if the directory cannot be opened, with the
    /// reason in `errno`.
    package static func names(_ path: String, limit: Int) -> [String]? {
        guard var entries = DirectoryEntries(path) else { return nil }
        var names: [String] = []
        while names.count < limit, let name = entries.next() { names.append(name) }
        return names.sorted()
    }
}
