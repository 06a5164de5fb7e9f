// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls

/// The resources held by this process.
enum ProcessUse {
    static var threads: Int { entries("/proc/self/task") }

    /// The number of open descriptors, without the one that reads the directory.
    static var descriptors: Int { entries("/proc/self/fd") - 1 }

    /// Resident memory in bytes.
    static var resident: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return -1 }
        let fields = text.split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? -1 : -1) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Used heap memory in bytes, -1 if the library of scripts/endure is not preloaded. Swift cannot call
    /// mallinfo2 directly.
    static var heap: Int { heapFunction.map { Int($0()) } ?? -1 }

    private static let heapFunction: (@convention(c) () -> UInt)? = dlsym(nil, "endure_heap_in_use").map {
        unsafeBitCast($0, to: (@convention(c) () -> UInt).self)
    }

    private static func entries(_ path: String) -> Int {
        guard let directory = opendir(path) else { return -1 }
        defer { closedir(directory) }
        // Excludes the entries "." and "..".
        var count = -2
        while readdir(directory) != nil { count += 1 }
        return count
    }
}
