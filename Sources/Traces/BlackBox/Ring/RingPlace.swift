// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls
import Trace

/// Where a ring lies, and what the traces that are saved from it are called.
package struct RingPlace: Sendable, Hashable {
    /// The folder that saved traces go to; nil for a file whose name is given.
    private let folder: String?
    private let file: String
    /// The ring's own folder.
    package let ring: String
    /// The permissions of traces; nil for 0600.
    let mode: UInt32?

    /// A folder, where that exists or the path ends with a slash: traces in it are called by their time and what made them
    /// be saved, `2026-05-01T10-00-00Z-impact.trace`. Else a file: the first trace is called that, further ones have a number
    /// before the ending.
    ///
    /// - Parameter mode: the permissions of traces, and of the ring; nil for 0600, since they tell where somebody was.
    package init(_ path: String, mode: UInt32? = nil) {
        self.mode = mode
        if FileBytes.isFolder(path) || path.hasSuffix("/") {
            var trimmed = path[...]
            while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
            folder = trimmed == "/" ? "" : String(trimmed)
            file = ""
            ring = "\(folder ?? "")/.ring"
        } else {
            folder = nil
            file = path
            ring = path + ".ring"
        }
    }

    /// Where a trace is written until it is whole. The name is always the same, so that what a power failure leaves of one
    /// does not pile up.
    var unfinished: String { ring + ".part" }
    /// The same for what a former recorder has left behind, which may be saved at the same time.
    var unfinishedFormer: String { ring + "-former.part" }

    /// Makes the folder unless it is there.
    func make(_ disk: RingDisk) throws(DeviceError) {
        guard let folder, !folder.isEmpty else { return }
        if NewFile.makeFolder(folder, for: mode) == 0 { return try disk.syncFolder(NewFile.split(folder).folder) }
        if errno != EEXIST || NewFile.isForeignLink(folder) {
            throw NewFile.failure(folder, call: "mkdir", errno: errno)
        }
    }

    /// Removes what was left of traces that were being saved when their recorder was killed: the ring has all of it.
    /// What somebody else has put there stays; where the name is needed, its file cannot be made then.
    func removeUnfinished() { for path in [unfinished, unfinishedFormer] { unlink(path) } }

    /// The event of what could not be read as a trace.
    static let damaged = "damaged"

    /// True for a folder, in which traces are called by their time.
    package var isFolder: Bool { folder != nil }

    /// The path of a trace that is to be saved, which no file has yet.
    package func path(at time: WallTime?, for event: String) -> String {
        var base: String
        let ending: String
        if let folder {
            let date = time.map { CivilDate($0).iso8601(decimals: 0) } ?? "undated"
            base = "\(folder)/\(Self.name(date))-\(Self.name(event))"
            ending = ".trace"
        } else {
            let name = file.lastIndex(of: "/").map { file.index(after: $0) } ?? file.startIndex
            // A point at the beginning is no ending.
            let point = file[name...].lastIndex(of: ".").flatMap { $0 > name ? $0 : nil } ?? file.endIndex
            base = String(file[..<point])
            ending = String(file[point...])
            // A file of that name is a trace.
            if event == Self.damaged { base += "-" + event }
        }
        return Self.free(base, ending)
    }

    /// A path that no file has yet: that one, or with a number before the ending.
    static func free(_ base: String, _ ending: String) -> String {
        var path = base + ending
        var number = 2
        while FileBytes.isThere(path) {
            path = "\(base)-\(number)\(ending)"
            number += 1
        }
        return path
    }

    /// A part of a name that every file system takes.
    private static func name(_ text: String) -> String {
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
