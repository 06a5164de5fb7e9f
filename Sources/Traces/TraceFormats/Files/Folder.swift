// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace

/// File and folder functions that do not use Foundation.
enum Folder {
    /// The maximum size of an imported file in bytes. The limit is necessary because the decoded readings occupy
    /// several times as much memory as the file.
    static var maximumFileSize: Int { Int.bitWidth > 32 ? 1 << 29 : 1 << 26 }
    private static let maximumNames = 10_000

    static func read(_ path: String) throws(DeviceError) -> [UInt8] { try FileIO.read(path, limit: maximumFileSize) }

    static func readIfPresent(_ path: String) throws(DeviceError) -> [UInt8]? {
        var status = stat()
        guard stat(path, &status) == 0 || errno != ENOENT else { return nil }
        return try read(path)
    }

    static func names(_ path: String) throws(DeviceError) -> [String] {
        guard let names = DirectoryEntries.names(path, limit: maximumNames) else {
            throw FileIO.readError(path, call: "opendir", errno: errno)
        }
        return names
    }

    /// Calls `body`, which creates a folder and fills it. If `body` throws an error, removes the folder unless it
    /// existed before the call or is not empty.
    static func populate<Value>(_ path: String, _ body: () throws(DeviceError) -> Value) throws(DeviceError) -> Value {
        let existed = FileIO.exists(path)
        do {
            return try body()
        } catch {
            if !existed { rmdir(path) }
            throw error
        }
    }

    /// Creates a folder unless it already exists. Throws an error if the path is another user's symbolic link, or if
    /// the folder already contains one of the named files and the options do not allow replacing it.
    static func createDirectory(_ path: String, for names: [String], _ options: ExportOptions) throws(DeviceError) {
        if ExclusiveFile.createDirectory(path, for: options.mode) != 0,
            errno != EEXIST || ExclusiveFile.isLinkOfOtherUser(path)
        {
            throw ExclusiveFile.failure(path, call: "mkdir", errno: errno)
        }
        guard !options.overwrite else { return }
        for name in names where FileIO.exists("\(path)/\(name)") {
            throw FileIO.writeError("\(path)/\(name)", call: "open", errno: EEXIST)
        }
    }

    static func write(
        _ files: [(name: String, bytes: [UInt8])], to path: String, _ options: ExportOptions
    ) throws(DeviceError) {
        try populate(path) { () throws(DeviceError) in
            try createDirectory(path, for: files.map(\.name), options)
            for (name, bytes) in files {
                var file = try ExportFile(path: "\(path)/\(name)", options)
                file.bytes = bytes
                try file.close()
            }
        }
    }
}

/// A position in a text file, for error messages.
struct FilePosition {
    var name: String
    var line: Int
    /// The column number, starting at 1, or nil for the whole line.
    var column: Int?
    var columnName = ""

    func error(_ what: String) -> DeviceError {
        var text = "\(name), line \(line)"
        if let column { text += ", column \(column)" }
        if !columnName.isEmpty { text += " (\(columnName.prefix(60)))" }
        return .invalidTrace("\(text): \(what)")
    }
}

extension DeviceError {
    static func invalidTrace(_ what: String) -> DeviceError { DeviceError(.invalidTrace, what) }
}
