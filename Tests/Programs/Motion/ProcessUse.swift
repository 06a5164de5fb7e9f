// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// What the process holds and has used.
struct ProcessUse {
    let threads: Int
    let descriptors: Int
    /// Memory that is really there.
    let kilobytes: Int
    /// Time on a processor, all threads together.
    let milliseconds: Int
    /// How often a thread has gone to sleep, those that have ended counted too.
    let sleeps: Int
    /// When this was measured.
    let time: Int64

    init(at now: BootTime) {
        time = now.nanoseconds
        threads = ProcessUse.entries("/proc/self/task")
        // Without the one that the folder is read through.
        descriptors = ProcessUse.entries("/proc/self/fd") - 1
        kilobytes = ProcessUse.residentKilobytes()
        var usage = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        milliseconds =
            (Int(usage.ru_utime.tv_sec) + Int(usage.ru_stime.tv_sec)) * 1000
            + (Int(usage.ru_utime.tv_usec) + Int(usage.ru_stime.tv_usec)) / 1000
        sleeps = Int(usage.ru_nvcsw)
    }

    private static func entries(_ path: String) -> Int {
        guard let folder = opendir(path) else { return -1 }
        defer { closedir(folder) }
        var count = -2
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private static func residentKilobytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return -1 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return -1 }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return -1 }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024
    }
}
