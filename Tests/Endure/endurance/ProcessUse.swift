// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls

/// What this process holds.
enum ProcessUse {
    static var threads: Int { entries("/proc/self/task") }

    /// Without the one that the folder is read through.
    static var descriptors: Int { entries("/proc/self/fd") - 1 }

    /// Bytes that are in memory.
    static var resident: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return -1 }
        let fields = text.split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? -1 : -1) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Bytes of the heap that are in use; -1 without the library that scripts/endure puts in, for mallinfo2 is none of
    /// the functions that Swift finds.
    static var heap: Int { heapFunction.map { Int($0()) } ?? -1 }

    private static let heapFunction: (@convention(c) () -> UInt)? = dlsym(nil, "endure_heap_in_use").map {
        unsafeBitCast($0, to: (@convention(c) () -> UInt).self)
    }

    private static func entries(_ path: String) -> Int {
        guard let folder = opendir(path) else { return -1 }
        defer { closedir(folder) }
        // Without the folder itself and the one above.
        var count = -2
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
