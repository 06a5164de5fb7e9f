// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import Trace

/// Prevents commands from overwriting their input.
enum OutputCheck {
    /// Exits with an error if the output would overwrite an input, its folder or another file of the recording.
    static func check(_ output: String, against inputs: [String]) throws {
        guard output != "-", let target = FileIdentity(output) else { return }
        for input in inputs where input != "-" {
            guard let source = FileIdentity(input), let name = overwrittenInput(input, source, output, target) else {
                continue
            }
            Log.error("\(name) is an input, and the output would overwrite it. Choose another name for the output.")
            try ExitStatus.usage.exit()
        }
    }

    /// Returns a description of the input that would be overwritten, or nil if there is none.
    private static func overwrittenInput(
        _ input: String, _ source: FileIdentity, _ output: String, _ target: FileIdentity
    ) -> String? {
        if source == target { return input == output ? input : "\(output), which is \(input)," }
        let own = ExclusiveFile.split(input).folder
        if target.isFolder {
            // Exporting to a folder may replace or remove any file in it.
            return !source.isFolder && FileIdentity(own) == target ? "\(output), the folder of \(input)," : nil
        }
        // Writes follow symbolic links, so links are resolved before paths are compared.
        let file = realPath(output)
        let isPart = source.isFolder ? isInside(source, file) : belongsTo(file, with: input, in: own)
        return isPart ? "\(output), which belongs to \(input)," : nil
    }

    private static func isInside(_ ancestor: FileIdentity, _ file: String) -> Bool {
        var path = file
        while path.utf8.contains(UInt8(ascii: "/")), path != "/" {
            path = ExclusiveFile.split(path).folder
            if FileIdentity(path) == ancestor { return true }
        }
        return false
    }

    /// Returns true if the file is part of the same recording as the input. Recordings from libiio, umockdev, Sensor
    /// Logger and phyphox may consist of several files.
    private static func belongsTo(_ file: String, with input: String, in folder: String) -> Bool {
        let outputFolder = FileIdentity(ExclusiveFile.split(file).folder)
        let isInSameFolder = FileIdentity(folder) == outputFolder
        let name = file.lowercased()
        switch input.lowercased() {
        case let input where input.hasSuffix(".xml"):
            return isInSameFolder && (name.hasSuffix(".bin") || name.hasSuffix(".json"))
        case let input where input.hasSuffix(".umockdev") || input.hasSuffix(".script"):
            return isInSameFolder && (name.hasSuffix(".umockdev") || name.hasSuffix(".script"))
        case let input where input.hasSuffix(".csv"):
            guard name.hasSuffix(".csv") else { return false }
            if isInSameFolder { return FileIdentity("\(folder)/Metadata.csv") != nil }
            return outputFolder != nil && FileIdentity("\(folder)/meta") == outputFolder
        default: return false
        }
    }

    private static func realPath(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
