// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The folder in which accessories are announced, and their sockets.
struct AnnouncementFolder: Sendable {
    let path: String

    /// Makes a folder of its own, below TMPDIR unless another is named.
    init(below parent: String?) throws(DeviceError) {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/accessories-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw DeviceError(
                .inputOutput, "No folder for simulated accessories can be made below \(parent). Set TMPDIR to another.",
                cause: .system(call: "mkdtemp", errno: errno))
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The path of an accessory's file.
    func file(_ id: Int) -> String { "\(path)/\(id).json" }

    /// The path of a protocol's socket. Short, because the system takes 107 bytes.
    func socket(_ id: Int, _ place: Int) -> String { "\(path)/\(id)-\(place)" }

    /// Puts the file there whole, so that nobody reads a part of it.
    func announce(_ accessory: DeclaredAccessory, id: Int) throws(DeviceError) {
        let final = file(id)
        let temporary = "\(final).tmp"
        let bytes = accessory.json()
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure("open", temporary) }
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                system_write(descriptor, UnsafeRawBufferPointer(rebasing: buffer[offset...]))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = failure("write", temporary)
                close(descriptor)
                unlink(temporary)
                throw error
            }
            offset += count
        }
        close(descriptor)
        guard rename(temporary, final) == 0 else { throw failure("rename", temporary) }
    }

    /// Takes back what was announced.
    func forget(_ id: Int) {
        unlink(file(id))
        rmdir(path)
    }

    /// Removes the folder, which has to be empty.
    func remove() {
        rmdir(path)
    }

    private func failure(_ call: String, _ path: String) -> DeviceError {
        DeviceError(
            .inputOutput, "The simulated accessory cannot be announced: \(path) cannot be written.",
            cause: .system(call: call, errno: errno))
    }
}
