// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import LoopbackServer
import SystemCalls

/// The folder in which accessories are announced, and their sockets.
struct AnnouncementFolder: Sendable {
    /// Bytes in the path of a socket, with the end.
    private static let longestSocketPath = 108
    private static let kind = ScratchFolder.Kind(
        prefix: "accessories-", owner: "simulated accessories", owns: { AnnouncementFolder.isOurs($0) })

    private let folder: ScratchFolder

    var path: String { folder.path }

    /// Makes a folder of its own, below TMPDIR unless another is named.
    init(below parent: String?) throws(DeviceError) {
        folder = try ScratchFolder(Self.kind, below: parent)
        // With ids of seven digits.
        guard socket(9_999_999, 99).utf8.count < Self.longestSocketPath else {
            throw DeviceError(
                .inputOutput,
                "The path of \(path) is too long for sockets in it. Set TMPDIR to a folder with a short one.")
        }
    }

    func file(_ id: Int) -> String { "\(path)/\(id).json" }

    /// The path of a protocol's socket. Short, because the system takes 107 bytes.
    func socket(_ id: Int, _ place: Int) -> String { "\(path)/\(id)-\(place)" }

    /// Puts the file there whole, so that nobody reads a part of it.
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

    /// True for `3.json`, `3.json.tmp` and `3-0`.
    private static func isOurs(_ name: String) -> Bool {
        let digits = name.prefix { $0.isASCII && $0.isWholeNumber }
        let rest = name.dropFirst(digits.count)
        if digits.isEmpty { return false }
        if rest == ".json" || rest == ".json.tmp" { return true }
        return rest.hasPrefix("-") && rest.count > 1 && rest.dropFirst().allSatisfy { $0.isASCII && $0.isWholeNumber }
    }
}
