// SPDX-License-Identifier: Apache-2.0

/// The names in a folder, one after the other, in no order. How many are taken is for the caller to bound.
package struct FolderEntries: ~Copyable {
    private let stream: OpaquePointer
    /// Why there are no more names; 0 when all of them were told.
    package private(set) var failure: Int32 = 0

    /// Opens a folder. Nil when that fails, with the reason in errno.
    package init?(_ path: String) {
        guard let stream = opendir(path) else { return nil }
        self.stream = stream
    }

    deinit { closedir(stream) }

    /// The folder's descriptor, for as long as this is.
    package var descriptor: Int32 { dirfd(stream) }

    /// The next name but "." and ".."; nil at the end, and when no more can be read.
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

    /// At most so many names of a folder, in order; nil when it cannot be opened, with the reason in errno.
    package static func names(_ path: String, limit: Int) -> [String]? {
        guard var entries = FolderEntries(path) else { return nil }
        var names: [String] = []
        while names.count < limit, let name = entries.next() { names.append(name) }
        return names.sorted()
    }
}
