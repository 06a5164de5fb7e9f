// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace

/// Files and folders without Foundation.
enum Folder {
    /// The largest file that is imported, in bytes: its readings take a few times that much.
    static var maximumFileSize: Int { Int.bitWidth > 32 ? 1 << 29 : 1 << 26 }
    /// The most names of a folder that are looked at.
    private static let maximumNames = 10_000

    /// The bytes of a file.
    static func read(_ path: String) throws(DeviceError) -> [UInt8] {
        try FileBytes.read(path, limit: maximumFileSize)
    }

    /// The bytes of a file; nil when there is none of that name.
    static func readIfPresent(_ path: String) throws(DeviceError) -> [UInt8]? {
        var status = stat()
        guard stat(path, &status) == 0 || errno != ENOENT else { return nil }
        return try read(path)
    }

    /// The names in a folder, in order.
    static func names(_ path: String) throws(DeviceError) -> [String] {
        guard let names = FolderEntries.names(path, limit: maximumNames) else {
            throw FileBytes.failedToRead(path, call: "opendir", errno: errno)
        }
        return names
    }

    /// Has a folder filled. Where that fails, a folder that was not there before and has nothing in it is removed.
    static func fill<Result>(_ path: String, _ body: () throws(DeviceError) -> Result) throws(DeviceError) -> Result {
        let wasThere = FileBytes.isThere(path)
        do {
            return try body()
        } catch {
            if !wasThere { rmdir(path) }
            throw error
        }
    }

    /// Makes a folder when it is not there. The error says that files of those names are in it, where they may not be
    /// replaced.
    static func make(_ path: String, for names: [String], _ options: ExportOptions) throws(DeviceError) {
        if NewFile.makeFolder(path, for: options.mode) != 0, errno != EEXIST || NewFile.isForeignLink(path) {
            throw NewFile.failure(path, call: "mkdir", errno: errno)
        }
        guard !options.overwrite else { return }
        for name in names where FileBytes.isThere("\(path)/\(name)") {
            throw FileBytes.failedToWrite("\(path)/\(name)", call: "open", errno: EEXIST)
        }
    }

    /// Writes files into a folder, which is made when it is not there.
    static func write(
        _ files: [(name: String, bytes: [UInt8])], to path: String, _ options: ExportOptions
    ) throws(DeviceError) {
        try fill(path) { () throws(DeviceError) in
            try make(path, for: files.map(\.name), options)
            for (name, bytes) in files {
                var file = try ExportFile(path: "\(path)/\(name)", options)
                file.bytes = bytes
                try file.close()
            }
        }
    }
}

/// A place in a file that somebody should look at.
struct FilePlace {
    var name: String
    var line: Int
    /// Counted from 1; nil for the whole line.
    var column: Int?
    /// What the header calls the column; empty when there is none.
    var columnName = ""

    /// The error of something wrong at this place.
    func error(_ what: String) -> DeviceError {
        var text = "\(name), line \(line)"
        if let column { text += ", column \(column)" }
        if !columnName.isEmpty { text += " (\(columnName.prefix(60)))" }
        return DeviceError(.invalidTrace, "\(text): \(what)")
    }
}
