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
    /// Locked for as long as this process lives, so that others can tell whether a folder has been left behind.
    private let descriptor: Int32

    /// Makes a folder of its own, below TMPDIR unless another is named. Folders there whose simulators were killed are
    /// removed.
    init(below parent: String?) throws(DeviceError) {
        let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let parent = parent ?? (named.isEmpty ? "/tmp" : named)
        // The name of a socket in it, with ids of seven digits.
        guard parent.utf8.count + "/accessories-XXXXXX/1234567-12".utf8.count < Self.longestSocketPath else {
            throw DeviceError(
                .inputOutput,
                "The folder \(parent) has too long a path for sockets in it. Set TMPDIR to a folder with a short one.")
        }
        Self.removeAbandoned(below: parent)
        var template = Array("\(parent)/accessories-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw DeviceError(
                .inputOutput, "No folder for simulated accessories can be made below \(parent). Set TMPDIR to another.",
                cause: .system(call: "mkdtemp", errno: errno))
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        descriptor = Self.open(path)
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
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
        let descriptor = system_open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)
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

    /// Removes the folder with what is left in it. Not to be called twice.
    func remove() {
        Self.empty(descriptor)
        rmdir(path)
        if descriptor >= 0 { system_close(descriptor) }
    }

    /// Bytes in the path of a socket, with the end.
    private static let longestSocketPath = 108
    private static let prefix = "accessories-"

    /// Removes what simulators that were killed have left behind: watchers would take their accessories for connected for
    /// ever.
    private static func removeAbandoned(below parent: String) {
        for name in names(in: parent) where name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 6 {
            let path = "\(parent)/\(name)"
            let descriptor = open(path)
            guard descriptor >= 0 else { continue }
            defer { system_close(descriptor) }
            var status = stat()
            // An empty one may be new, and not locked yet.
            guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0,
                names(in: path).contains(where: isOurs), flock(descriptor, LOCK_EX | LOCK_NB) == 0
            else { continue }
            empty(descriptor)
            rmdir(path)
        }
    }

    /// Removes what a simulator puts into its folder, and nothing else.
    private static func empty(_ descriptor: Int32) {
        for name in names(in: "/proc/self/fd/\(descriptor)") where isOurs(name) { unlinkat(descriptor, name, 0) }
    }

    /// True for `3.json`, `3.json.tmp` and `3-0`.
    private static func isOurs(_ name: String) -> Bool {
        let digits = name.prefix { $0.isASCII && $0.isWholeNumber }
        let rest = name.dropFirst(digits.count)
        if digits.isEmpty { return false }
        if rest == ".json" || rest == ".json.tmp" { return true }
        return rest.hasPrefix("-") && rest.count > 1 && rest.dropFirst().allSatisfy { $0.isASCII && $0.isWholeNumber }
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    names.append(String(cString: $0))
                }
            }
        }
        return names
    }

    private static func open(_ path: String) -> Int32 {
        system_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    private func failure(_ call: String, _ path: String) -> DeviceError {
        DeviceError(
            .inputOutput, "The simulated accessory cannot be announced: \(path) cannot be written.",
            cause: .system(call: call, errno: errno))
    }
}

private func system_open(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o644) }
