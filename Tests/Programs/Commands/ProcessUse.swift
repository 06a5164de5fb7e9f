// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// The resources that this process holds and has used.
struct ProcessUse {
    var threads = ProcessUse.entries("/proc/self/task")
    /// Without the descriptor that reads the folder.
    var descriptors = ProcessUse.entries("/proc/self/fd") - 1
    /// Resident memory in KiB.
    let kilobytes = ProcessUse.residentKilobytes
    /// The processor time of all threads in milliseconds.
    let milliseconds: Int
    /// The number of voluntary context switches, including those of ended threads.
    let sleeps: Int

    init() {
        var usage = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        milliseconds =
            (Int(usage.ru_utime.tv_sec) + Int(usage.ru_stime.tv_sec)) * 1000
            + (Int(usage.ru_utime.tv_usec) + Int(usage.ru_stime.tv_usec)) / 1000
        sleeps = Int(usage.ru_nvcsw)
    }

    /// Waits at most a minute for threads that are ending.
    mutating func settle(threads limit: Int) {
        for _ in 0..<12_000 where threads > limit {
            WorkerThread.sleep(seconds: 0.005)
            threads = ProcessUse.entries("/proc/self/task")
        }
    }

    /// The open descriptors, each with its number and its target.
    static var openFiles: Set<String> {
        var files: Set<String> = []
        for name in DirectoryEntries.names("/proc/self/fd", limit: 100_000) ?? [] {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
                guard let start = buffer.baseAddress else { return }
                let count = readlink("/proc/self/fd/\(name)", start, buffer.count)
                // The descriptor that reads the folder is closed by now.
                guard count > 0 else { return }
                files.insert(
                    "\(name) " + String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self))
            }
        }
        return files
    }

    private static func entries(_ path: String) -> Int {
        guard let folder = opendir(path) else { return -1 }
        defer { closedir(folder) }
        // Without the entries for the folder itself and its parent.
        var count = -2
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private static var residentKilobytes: Int {
        guard let bytes = try? FileIO.read("/proc/self/statm", limit: 4096) else { return -1 }
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return -1 }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024
    }
}
