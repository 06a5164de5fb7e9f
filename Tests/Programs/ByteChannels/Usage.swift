// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// What the process has.
struct Usage {
    var descriptors = Usage.count("/proc/self/fd")
    var threads = Usage.count("/proc/self/task")
    /// Resident, in KiB.
    var memory = Usage.resident

    init() {}

    /// Threads that are just ending are waited for, some seconds at most.
    init(like other: Usage) {
        settle(atMost: other.threads)
    }

    private mutating func settle(atMost limit: Int) {
        for _ in 0..<1000 where threads > limit {
            WorkerThread.pause(seconds: 0.005)
            threads = Usage.count("/proc/self/task")
        }
        descriptors = Usage.count("/proc/self/fd")
    }

    private static func count(_ path: String) -> Int {
        guard let folder = opendir(path) else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private static var resident: Int {
        guard let bytes = try? FileBytes.read("/proc/self/statm", limit: 4096) else { return -1 }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? -1) * Int(getpagesize()) / 1024 : -1
    }
}
