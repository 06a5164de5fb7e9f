// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Foundation

/// What a plot is written as.
enum PlotFormat: String, CaseIterable, ExpressibleByArgument {
    case svg, html, png

    /// What the ending of a name says; nil for another one.
    init?(fileName: String) {
        let ending = fileName.split(separator: ".", omittingEmptySubsequences: false).last?.lowercased() ?? ""
        guard fileName.contains("."), let format = Self(rawValue: ending == "htm" ? "html" : ending) else { return nil }
        self = format
    }
}

/// Makes a picture of dots of an SVG, by a program that is installed.
enum PNGMaker {
    private struct Program: Sendable {
        let name: String
        let package: String
        let arguments: @Sendable (Int) -> [String]
    }

    /// The first that is there is used. Each reads standard input and writes standard output.
    private static let programs = [
        Program(name: "rsvg-convert", package: "librsvg2-bin") { ["-d", "\($0)", "-p", "\($0)", "-f", "png"] },
        Program(name: "inkscape", package: "inkscape") {
            ["--pipe", "--export-type=png", "--export-filename=-", "--export-dpi=\($0)"]
        },
    ]

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Where the program is; the error says what to install.
    static func find() throws(DeviceError) -> Found {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        for program in programs {
            for folder in path.split(separator: ":") {
                let file = "\(folder)/\(program.name)"
                if access(file, X_OK) == 0 {
                    return Found(path: file, name: program.name, arguments: program.arguments)
                }
            }
        }
        let names = programs.map { "\($0.name) (apt install \($0.package))" }.joined(separator: " or ")
        throw DeviceError(
            .notFound,
            "A PNG is made by \(names), and neither is installed. Write .svg or .html instead, or install one.")
    }

    struct Found {
        fileprivate let path: String
        let name: String
        fileprivate let arguments: (Int) -> [String]

        /// - Parameter resolution: dots to an inch.
        func png(of svg: String, resolution: Int) throws(DeviceError) -> [UInt8] {
            let process = Process()
            let (input, output) = (Pipe(), Pipe())
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments(resolution)
            (process.standardInput, process.standardOutput) = (input, output)
            process.standardError = FileHandle.nullDevice
            do {
                try process.run()
            } catch {
                throw DeviceError(.inputOutput, "\(path) cannot be started: \(error.localizedDescription)")
            }
            let writer = input.fileHandleForWriting
            // One that writes before it has read all must find a reader.
            DispatchQueue.global().async {
                try? writer.write(contentsOf: Data(svg.utf8))
                try? writer.close()
            }
            let picture = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
            process.waitUntilExit()
            guard process.terminationStatus == 0, picture.starts(with: PNGMaker.signature) else {
                throw DeviceError(
                    .inputOutput,
                    "\(path) has made no PNG (exit status \(process.terminationStatus)). Write .svg and convert it by hand to see why."
                )
            }
            return picture
        }
    }
}
