// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// What is read of the files that let a client in.
package struct BrokerAccess: Sendable, Equatable {
    package let name: String
    package let password: String

    /// The longest file of a password.
    private static let limit = 4096

    /// Reads the file: one line, `name:password`. The error says what is wrong, and never what is in it.
    package init(path: String) throws(DeviceError) {
        try Self.refuseOpenSecret(path, holds: "a password")
        let bytes = try FileBytes.read(path, limit: Self.limit)
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        func wrong(_ what: String) -> DeviceError {
            DeviceError(
                .invalidConfiguration,
                "\(path) \(what). It has to hold one line: the name that the broker knows, a colon, and the password.")
        }
        guard bytes.dropFirst(line.count).allSatisfy({ $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else {
            throw wrong("has more than one line")
        }
        guard let text = String(validating: line, as: UTF8.self), !text.contains("\0") else {
            throw wrong("is not UTF-8")
        }
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { throw wrong("holds no name") }
        name = String(text[..<colon])
        password = String(text[text.index(after: colon)...])
    }

    /// What is a secret is refused when everybody may read it, or another user may change it.
    package static func refuseOpenSecret(_ path: String, holds what: String) throws(DeviceError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileBytes.failedToRead(path, call: "stat", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o007 != 0 || status.st_mode & 0o020 != 0 else {
            return
        }
        throw DeviceError(
            .permissionDenied,
            "\(path) holds \(what), and others may read or change it: chmod 600 \(path)")
    }

    /// What cannot be read is named here: libmosquitto says only that something is wrong.
    package static func check(_ files: BrokerFiles) throws(DeviceError) {
        guard (files.certificate == nil) == (files.key == nil) else {
            throw DeviceError(
                .invalidConfiguration, "A certificate and its key belong together: name the files of both, or of none.")
        }
        for path in [files.authorities, files.certificate].compactMap(\.self) {
            _ = try FileBytes.read(path, limit: 4 << 20)
        }
        guard let key = files.key else { return }
        try refuseOpenSecret(key, holds: "a private key")
        _ = try FileBytes.read(key, limit: 1 << 20)
    }
}
