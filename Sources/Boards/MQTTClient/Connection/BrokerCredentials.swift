// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// The credentials in a client's password file.
package struct BrokerCredentials: Sendable, Equatable {
    package let name: String
    package let password: String

    /// The maximum size of a password file, in bytes.
    private static let limit = 4096

    /// Reads a file that contains one line, `name:password`. Errors never contain the file's contents.
    package init(path: String) throws(DeviceError) {
        try Self.rejectUnprotectedSecret(path, containing: "a password")
        let bytes = try FileIO.read(path, limit: Self.limit)
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        func invalidFile(_ problem: String) -> DeviceError {
            DeviceError(
                .invalidConfiguration,
                "\(path) \(problem). It must contain one line: the user name, a colon, and the password.")
        }
        guard bytes.dropFirst(line.count).allSatisfy({ $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else {
            throw invalidFile("has more than one line")
        }
        guard let text = String(validating: line, as: UTF8.self), !text.contains("\0") else {
            throw invalidFile("is not UTF-8")
        }
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw invalidFile("has no user name")
        }
        name = String(text[..<colon])
        password = String(text[text.index(after: colon)...])
    }

    /// Throws an error if a secret file can be accessed by other users or modified by its group.
    package static func rejectUnprotectedSecret(_ path: String, containing content: String) throws(DeviceError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileIO.readError(path, call: "stat", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o007 != 0 || status.st_mode & 0o020 != 0 else {
            return
        }
        throw DeviceError(
            .permissionDenied,
            "\(path) contains \(content), but others may read or change it. Run: chmod 600 \(path)")
    }

    /// Checks that each file is readable and that the key is protected. libmosquitto does not report which file is at
    /// fault.
    package static func check(_ files: BrokerCredentialFiles) throws(DeviceError) {
        guard (files.certificate == nil) == (files.key == nil) else {
            throw DeviceError(
                .invalidConfiguration, "A certificate requires its key. Specify the files of both, or of neither.")
        }
        for path in [files.authorities, files.certificate].compactMap(\.self) {
            _ = try FileIO.read(path, limit: 4 << 20)
        }
        guard let key = files.key else { return }
        try rejectUnprotectedSecret(key, containing: "a private key")
        _ = try FileIO.read(key, limit: 1 << 20)
    }
}
