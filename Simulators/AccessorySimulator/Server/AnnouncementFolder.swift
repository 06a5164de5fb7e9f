// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import LoopbackServer
import SystemCalls

/// The directory of announcements and sockets.
struct AnnouncementFolder: Sendable {
    /// The size of `sun_path`, including the terminating NUL.
    private static let longestSocketPath = 108
    private static let kind = ScratchFolder.Kind(
        prefix: "accessories-", owner: "simulated accessories", owns: { AnnouncementFolder.isOurs($0) })

    private let folder: ScratchFolder

    var path: String { folder.path }

    /// Creates a directory in `parent`; if `parent` is nil, in TMPDIR, or in /tmp if TMPDIR is not set.
    init(below parent: String?) throws(DeviceError) {
        folder = try ScratchFolder(Self.kind, below: parent)
        // The longest path, with an id of seven digits.
        guard socket(9_999_999, 99).utf8.count < Self.longestSocketPath else {
            throw DeviceError(
                .inputOutput,
                "The path \(path) is too long for sockets. Set TMPDIR to a directory with a shorter path.")
        }
    }

    func file(_ id: Int) -> String { "\(path)/\(id).json" }

    /// Returns the path of a protocol's socket. It is short because the system limits paths of sockets to 107 bytes.
    func socket(_ id: Int, _ place: Int) -> String { "\(path)/\(id)-\(place)" }

    /// Creates the announcement atomically, so that programs never read an incomplete file.
    func announce(_ accessory: DeclaredAccessory, id: Int) throws(DeviceError) {
        let final = file(id)
        let temporary = "\(final).tmp"
        do throws(DeviceError) {
            try FileBytes.write(accessory.json(), to: temporary, overwrite: true)
            guard rename(temporary, final) == 0 else {
                throw FileBytes.failedToWrite(final, call: "rename", errno: errno)
            }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    func forget(_ id: Int) {
        unlink(file(id))
        rmdir(path)
    }

    func remove() { folder.remove() }

    /// Returns true for names such as `3.json`, `3.json.tmp` and `3-0`.
    private static func isOurs(_ name: String) -> Bool {
        let digits = name.prefix { $0.isASCII && $0.isWholeNumber }
        let rest = name.dropFirst(digits.count)
        if digits.isEmpty { return false }
        if rest == ".json" || rest == ".json.tmp" { return true }
        return rest.hasPrefix("-") && rest.count > 1 && rest.dropFirst().allSatisfy { $0.isASCII && $0.isWholeNumber }
    }
}
