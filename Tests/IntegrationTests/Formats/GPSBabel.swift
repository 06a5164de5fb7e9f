// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The gpsbabel converter, if it is installed.
enum GPSBabel {
    static let path = Tools.find("gpsbabel")

    /// The reason for skipping tests without gpsbabel.
    static let missing: Comment = "gpsbabel is not installed: apt-get install gpsbabel"

    /// Converts a file from one format to another.
    static func convert(_ input: String, from format: String, to output: String, _ outputFormat: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(path))
        process.arguments = ["-t", "-i", format, "-f", input, "-o", outputFormat, "-F", output]
        process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "gpsbabel cannot read \(input)")
    }

    /// Returns the points of a file as parsed by gpsbabel: the elements of each point in GPX 1.0, by name.
    static func points(_ input: String, from format: String) throws -> [[String: String]] {
        try Self.withFolder { folder in
            try convert(input, from: format, to: folder + "/points.gpx", "gpx")
            let text = try String(contentsOfFile: folder + "/points.gpx", encoding: .utf8)
            return text.components(separatedBy: "<trkpt ").dropFirst().map { part in
                var point: [String: String] = [:]
                let words = part.components(separatedBy: "\"")
                if words.count > 3 { (point["lat"], point["lon"]) = (words[1], words[3]) }
                // An element has the form `name>text</name`, up to the end of the point.
                for element in part.components(separatedBy: "</trkpt>")[0].components(separatedBy: "<") {
                    let halves = element.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
                    if halves.count == 2, !halves[0].contains("/"), !halves[0].contains(" ") {
                        point[String(halves[0])] = halves[1].trimmingCharacters(in: .whitespacesAndNewlines)
                    }
                }
                return point
            }
        }
    }

    static func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("babel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        return try body(url.path)
    }
}
