// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls
import Trace

/// The location of a ring, and the names of the traces saved from it.
package struct RingLocation: Sendable, Hashable {
    /// The directory for saved traces, "" for the root directory, or nil if the path refers to a file.
    private let folder: String?
    private let file: String
    /// The directory for the ring's segments. Its name must not change, so that a newer version can find leftovers.
    package let ringDirectory: String
    /// The file mode of traces, or nil for 0600.
    let mode: UInt32?

    /// If the path is an existing directory or ends with a slash, saved traces are stored in that directory and named
    /// after their time and trigger, as in `2026-05-01T10-00-00Z-impact.trace`. Otherwise, the first trace is saved at
    /// the path, and later traces get a number before the extension.
    package init(_ path: String, mode: UInt32? = nil) {
        self.mode = mode
        if FileIO.isDirectory(path) || path.hasSuffix("/") {
            var trimmed = path[...]
            while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
            folder = trimmed == "/" ? "" : String(trimmed)
            file = ""
            ringDirectory = "\(folder ?? "")/.ring"
        } else {
            folder = nil
            file = path
            ringDirectory = path + ".ring"
        }
    }

    /// The temporary path of a trace that is being saved. The path is always the same, so that incomplete files do not
    /// accumulate after power failures.
    var temporaryPath: String { ringDirectory + ".part" }
    /// The temporary path of a trace from an earlier recorder. The path differs from ``temporaryPath``, because both
    /// traces may be saved concurrently.
    var temporaryLeftoverPath: String { ringDirectory + "-former.part" }

    func createDirectory(_ disk: DiskSynchronizer) throws(DeviceError) {
        guard let folder, !folder.isEmpty else { return }
        if ExclusiveFile.createDirectory(folder, for: mode) == 0 {
            return try disk.syncFolder(ExclusiveFile.split(folder).folder)
        }
        if errno != EEXIST || ExclusiveFile.isLinkOfOtherUser(folder) {
            throw ExclusiveFile.failure(folder, call: "mkdir", errno: errno)
        }
    }

    /// Removes the incomplete traces that a killed recorder left behind. Their events are still in the ring.
    func removeUnfinished() { for path in [temporaryPath, temporaryLeftoverPath] { unlink(path) } }

    /// The word that replaces the trigger in the file name of a damaged segment.
    static let damaged = "damaged"

    /// True if the location is a directory. If so, traces are named after their time.
    package var isFolder: Bool { folder != nil }

    /// Returns an unused path for a trace.
    package func path(at time: WallTime?, for event: String) -> String {
        var base: String
        let fileExtension: String
        if let folder {
            let date = time.map { CivilDate($0).iso8601(decimals: 0) } ?? "undated"
            base = "\(folder)/\(Self.fileNameComponent(date))-\(Self.fileNameComponent(event))"
            fileExtension = ".trace"
        } else {
            let name = file.lastIndex(of: "/").map { file.index(after: $0) } ?? file.startIndex
            // A leading dot does not start a file extension.
            let point = file[name...].lastIndex(of: ".").flatMap { $0 > name ? $0 : nil } ?? file.endIndex
            base = String(file[..<point])
            fileExtension = String(file[point...])
            // The suffix "-damaged" distinguishes a damaged segment from a trace.
            if event == Self.damaged { base += "-" + event }
        }
        return Self.unusedPath(base, fileExtension)
    }

    /// Returns an unused path that consists of the base and the extension, with a number between them if necessary.
    static func unusedPath(_ base: String, _ ending: String) -> String {
        var path = base + ending
        var number = 2
        while FileIO.exists(path) {
            path = "\(base)-\(number)\(ending)"
            number += 1
        }
        return path
    }

    /// Returns the first 40 bytes of the text, replacing each byte that some file systems do not accept in names with a
    /// hyphen.
    private static func fileNameComponent(_ text: String) -> String {
        String(
            text.utf8.prefix(40).map { byte -> Character in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."):
                    Character(UnicodeScalar(byte))
                default: "-"
                }
            })
    }
}
