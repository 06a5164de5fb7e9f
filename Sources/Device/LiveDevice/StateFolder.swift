// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization
package import SystemCalls

/// The folder in which programs of this user keep what outlasts them: calibrations, regions, steps.
package enum StateFolder {
    /// Writing takes less than a second; what is that many seconds old, nobody writes any more.
    private static let greatestAge: Int64 = 3600
    /// The most names of a folder that are looked at.
    private static let maximumNames = 10_000
    /// One for all that a process writes, for all of it may be written at the same time. It begins anywhere: two containers
    /// that share a folder may give their processes the same number.
    private static let lastNumber = Atomic<UInt32>(.random(in: 0...UInt32.max))

    /// Writes a file beside the old one, which then takes its place, so that it is whole whenever power fails. Makes the
    /// folder when it is not there.
    package static func replace(
        _ path: String, with bytes: [UInt8], mode: mode_t = NewFile.privateMode
    ) throws(DeviceError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let folder = String(path[..<slash])
        try FileBytes.makeFolder(folder)
        removeLeftovers(in: folder)
        let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        try FileBytes.replace(
            path, with: bytes, temporary: "\(folder)/\(temporaryName(process: getpid(), number))", mode: mode,
            elsewhere: FileBytes.elsewhereToStore)
    }

    /// The name of a file that is being written.
    private static func temporaryName(process: Int32, _ number: UInt32) -> String { ".\(process)-\(number).tmp" }

    /// True for a name as `temporaryName` makes them.
    private static func isTemporary(_ name: String) -> Bool {
        guard name.hasPrefix("."), name.hasSuffix(".tmp") else { return false }
        let numbers = name.dropFirst().dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, let process = Int32(numbers[0]), let number = UInt32(numbers[1]) else { return false }
        return name == temporaryName(process: process, number)
    }

    /// Removes the files of writers that ended before the file had its name, as when power failed.
    ///
    /// Not by whether the process is there: the folder may be shared with another system, and numbers are given again.
    private static func removeLeftovers(in path: String) {
        guard var entries = FolderEntries(path) else { return }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var leftovers: [String] = []
        var count = 0
        while count < maximumNames, let name = entries.next() {
            count += 1
            guard isTemporary(name) else { continue }
            var status = stat()
            guard fstatat(entries.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { continue }
            // Also what a clock has written that was ahead.
            if abs(Int64(now.tv_sec) - Int64(status.st_mtim.tv_sec)) > greatestAge { leftovers.append(name) }
        }
        for name in leftovers { unlinkat(entries.descriptor, name, 0) }
    }
}

/// A hash that is the same in every process and on every machine, for names of files. No protection against anybody.
enum StableHash {
    /// Sixteen hexadecimal digits: FNV-1a, 64 bits, http://www.isthe.com/chongo/tech/comp/fnv/
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }
}
