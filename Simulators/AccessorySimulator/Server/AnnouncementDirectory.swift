// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import LoopbackServer
import SystemCalls

/// The directory that programs watch. It contains the announcements, `ID.json`, and the sockets, `ID-INDEX`.
struct AnnouncementDirectory: Sendable {
    /// The size of `sun_path` in bytes, including the terminating NUL.
    private static let maximumSocketPathSize = 108
    private static let kind = ScratchDirectory.Kind(
        prefix: "accessories-", owner: "simulated accessories", owns: { AnnouncementDirectory.isOwnedEntry($0) })

    private let folder: ScratchDirectory
    var path: String { folder.path }

    /// Creates a directory in `parent`. If `parent` is nil, uses TMPDIR or /tmp.
    init(below parent: String?) throws(DeviceError) {
        folder = try ScratchDirectory(Self.kind, below: parent)
        // Checks the longest possible socket path, in which the accessory ID has seven digits.
        guard socket(9_999_999, 99).utf8.count < Self.maximumSocketPathSize else {
            throw DeviceError(
                .inputOutput,
                "The path \(path) is too long for sockets. Set TMPDIR to a directory with a shorter path.")
        }
    }

    func file(_ id: Int) -> String { "\(path)/\(id).json" }

    func socket(_ id: Int, _ endpointIndex: Int) -> String { "\(path)/\(id)-\(endpointIndex)" }

    /// Creates the announcement atomically, so that programs never read an incomplete file.
    func announce(_ accessory: DeclaredAccessory, id: Int) throws(DeviceError) {
        let final = file(id)
        let temporary = "\(final).tmp"
        do throws(DeviceError) {
            try FileIO.write(accessory.json(), to: temporary, overwrite: true)
            guard rename(temporary, final) == 0 else { throw FileIO.writeError(final, call: "rename", errno: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Removes an announcement that was written during `remove()`. If the directory still exists because of this
    /// announcement, also removes the directory.
    func removeAnnouncement(_ id: Int) {
        unlink(file(id))
        rmdir(path)
    }

    func remove() { folder.remove() }

    /// Returns true for names such as `3.json`, `3.json.tmp` and `3-0`.
    private static func isOwnedEntry(_ name: String) -> Bool {
        let digits = name.prefix { $0.isASCII && $0.isWholeNumber }
        let rest = name.dropFirst(digits.count)
        if digits.isEmpty { return false }
        if rest == ".json" || rest == ".json.tmp" { return true }
        return rest.hasPrefix("-") && rest.count > 1 && rest.dropFirst().allSatisfy { $0.isASCII && $0.isWholeNumber }
    }
}
