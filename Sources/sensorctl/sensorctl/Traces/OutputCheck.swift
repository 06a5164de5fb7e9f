// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import Trace

/// Keeps verbs from writing over what they read.
enum OutputCheck {
    /// Refuses to write over what is read, under whatever name: a file, the folder that it is in, what is in a folder that
    /// is read, and the files that are read with another one.
    static func check(_ output: String, against inputs: [String]) throws {
        guard output != "-", let target = FileIdentity(output) else { return }
        for input in inputs where input != "-" {
            guard let source = FileIdentity(input), let name = loss(input, source, output, target) else { continue }
            Notes.fail("\(name) is read here, and writing it would lose it. Choose another name for the output.")
            try ExitStatus.usage.end()
        }
    }

    /// What would be lost, as a message names it; nil when nothing would.
    private static func loss(
        _ input: String, _ source: FileIdentity, _ output: String, _ target: FileIdentity
    ) -> String? {
        if source == target { return input == output ? input : "\(output), which is \(input)," }
        let own = NewFile.split(input).folder
        if target.isFolder {
            // Formats of several files replace and remove those of their names.
            return !source.isFolder && FileIdentity(own) == target ? "\(output), the folder of \(input)," : nil
        }
        // A link is followed when it is written.
        let file = realPath(output)
        let isPart = source.isFolder ? isIn(source, file) : isRead(file, with: input, in: own)
        return isPart ? "\(output), which belongs to \(input)," : nil
    }

    /// True for a file in that folder, or in one that is in it.
    private static func isIn(_ ancestor: FileIdentity, _ file: String) -> Bool {
        var path = file
        while path.utf8.contains(UInt8(ascii: "/")), path != "/" {
            path = NewFile.split(path).folder
            if FileIdentity(path) == ancestor { return true }
        }
        return false
    }

    /// True for a file that may be read together with the input: libiio's buffers and values beside the XML, umockdev's
    /// descriptions and scripts, the tables of Sensor Logger, and what phyphox keeps in a folder of its own.
    private static func isRead(_ file: String, with input: String, in folder: String) -> Bool {
        let place = FileIdentity(NewFile.split(file).folder)
        let isBeside = FileIdentity(folder) == place
        let name = file.lowercased()
        switch input.lowercased() {
        case let input where input.hasSuffix(".xml"):
            return isBeside && (name.hasSuffix(".bin") || name.hasSuffix(".json"))
        case let input where input.hasSuffix(".umockdev") || input.hasSuffix(".script"):
            return isBeside && (name.hasSuffix(".umockdev") || name.hasSuffix(".script"))
        case let input where input.hasSuffix(".csv"):
            guard name.hasSuffix(".csv") else { return false }
            if isBeside { return FileIdentity("\(folder)/Metadata.csv") != nil }
            return place != nil && FileIdentity("\(folder)/meta") == place
        default: return false
        }
    }

    private static func realPath(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}

/// Which file or folder a path leads to: two that are equal are one, whatever they are called.
struct FileIdentity: Equatable {
    let isFolder: Bool
    private let device: UInt64
    private let number: UInt64

    /// Nil when there is nothing.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let kind = status.st_mode & S_IFMT
        // Whoever reads from a terminal and writes to it loses nothing.
        guard kind == S_IFREG || kind == S_IFDIR else { return nil }
        isFolder = kind == S_IFDIR
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
