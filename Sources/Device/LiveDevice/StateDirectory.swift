// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes
import Synchronization
package import SystemCalls

/// The directory in which the user's programs keep persistent state: calibrations, regions and step counts.
package enum StateDirectory {
    /// The age, in seconds, above which a temporary file is considered stale. Writing a file takes less than a second.
    private static let maximumAge: Int64 = 3600
    /// The maximum number of names to search for stale files, so that a huge directory cannot delay writing.
    private static let maximumNames = 10_000
    /// The number in the name of this process's most recent temporary file. The first number is random, because
    /// processes in different containers may share the directory and have the same process ID.
    private static let lastNumber = Atomic<UInt32>(.random(in: 0...UInt32.max))

    /// Replaces a file, and creates its directory if necessary. The path must be absolute. After a power failure, the
    /// path contains either the old or the new file. Thread-safe, because each call uses its own temporary file.
    package static func replace(
        _ path: String, with bytes: [UInt8], mode: mode_t = ExclusiveFile.privateMode
    ) throws(DeviceError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let folder = String(path[..<slash])
        try FileIO.createDirectory(folder)
        removeStaleTemporaryFiles(in: folder)
        let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        try FileIO.replace(
            path, with: bytes, temporary: "\(folder)/\(temporaryName(process: getpid(), number))", mode: mode,
            locationHint: FileIO.stateLocationHint)
    }

    private static func temporaryName(process: Int32, _ number: UInt32) -> String { ".\(process)-\(number).tmp" }

    private static func isTemporary(_ name: String) -> Bool {
        guard name.hasPrefix("."), name.hasSuffix(".tmp") else { return false }
        let numbers = name.dropFirst().dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, let process = Int32(numbers[0]), let number = UInt32(numbers[1]) else { return false }
        return name == temporaryName(process: process, number)
    }

    /// Removes temporary files left behind by processes that have ended. Such files are recognized by their age, not by
    /// the process ID in their names, because IDs are reused and another system may share the directory.
    private static func removeStaleTemporaryFiles(in path: String) {
        guard var entries = DirectoryEntries(path) else { return }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var staleNames: [String] = []
        var count = 0
        while count < maximumNames, let name = entries.next() {
            count += 1
            guard isTemporary(name) else { continue }
            var status = stat()
            guard fstatat(entries.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { continue }
            // A file with a modification time in the future is also stale, because it was written while the clock was
            // ahead.
            if abs(Int64(now.tv_sec) - Int64(status.st_mtim.tv_sec)) > maximumAge { staleNames.append(name) }
        }
        for name in staleNames { unlinkat(entries.descriptor, name, 0) }
    }
}

/// A non-cryptographic hash for file names. It is the same in every process and on every machine, and must not change.
enum StableHash {
    /// Returns the 64-bit FNV-1a hash as 16 hexadecimal digits. See http://www.isthe.com/chongo/tech/comp/fnv/.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return HexDigit.text((0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * $0)) })
    }
}
