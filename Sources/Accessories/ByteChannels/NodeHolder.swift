// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// A process that has a device node open, found in /proc.
package struct NodeHolder: Sendable {
    package let pid: Int32
    /// The name of the program, truncated to 15 bytes. Empty if the name cannot be read.
    package let program: String

    /// Returns the first visible process that has the node open. Returns the current process only if there is no other.
    ///
    /// - Parameters:
    ///   - descriptor: One of this process's descriptors to ignore.
    ///   - limit: The maximum number of open files to check.
    package static func find(_ path: String, except descriptor: Int32? = nil, limit: Int = 50_000) -> NodeHolder? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        let target = Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
        var node = stat()
        guard stat(path, &node) == 0 else { return nil }
        var remaining = limit
        var isHeldByThisProcess = false
        for pid in numericEntries(of: "/proc", limit: 100_000) {
            let isOwn = pid == getpid()
            if isOwn && isHeldByThisProcess { continue }
            guard remaining > 0 else { break }
            let folder = "/proc/\(pid)/fd"
            for file in numericEntries(of: folder, limit: remaining) {
                remaining -= 1
                if isOwn, file == descriptor { continue }
                let entry = "\(folder)/\(file)"
                // Compares the paths first, because this is faster than comparing the nodes. In a container, the same
                // path may refer to a different node, so the nodes are compared too.
                guard isLink(entry, to: target), isNode(entry, node) else { continue }
                if !isOwn { return NodeHolder(pid: pid, program: name(pid)) }
                isHeldByThisProcess = true
                break
            }
        }
        return isHeldByThisProcess ? NodeHolder(pid: getpid(), program: name(getpid())) : nil
    }

    package var description: String {
        if pid == getpid() { return "this program itself" }
        return program.isEmpty ? "process \(pid)" : "\(program), process \(pid)"
    }

    private static func isLink(_ path: String, to target: [UInt8]) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: target.count + 1, alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return false }
            let count = readlink(path, start.assumingMemoryBound(to: CChar.self), buffer.count)
            return count == target.count && buffer.prefix(target.count).elementsEqual(target)
        }
    }

    private static func isNode(_ path: String, _ node: stat) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_dev == node.st_dev && status.st_ino == node.st_ino
    }

    static func name(_ pid: Int32) -> String {
        let descriptor = systemOpen("/proc/\(pid)/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { systemClose(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let count = systemRead(descriptor, buffer)
            return String(decoding: buffer.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }

    static func numericEntries(of path: String, limit: Int) -> [Int32] {
        guard var entries = DirectoryEntries(path) else { return [] }
        var numbers: [Int32] = []
        while numbers.count < limit, let name = entries.next() {
            if let number = Int32(name) { numbers.append(number) }
        }
        return numbers
    }
}
