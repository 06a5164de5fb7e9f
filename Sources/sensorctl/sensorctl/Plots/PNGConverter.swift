// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// Converts SVG to PNG using an installed program.
struct PNGConverter {
    private struct Program: Sendable {
        let name: String
        let package: String
        /// Returns the arguments for a resolution in dots per inch.
        let arguments: @Sendable (Int) -> [String]
    }

    /// The supported programs in order of preference. Each reads from standard input and writes to standard output.
    private static let programs = [
        Program(name: "rsvg-convert", package: "librsvg2-bin") { ["-d", "\($0)", "-p", "\($0)", "-f", "png"] },
        Program(name: "inkscape", package: "inkscape") {
            ["--pipe", "--export-type=png", "--export-filename=-", "--export-dpi=\($0)"]
        },
    ]

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The maximum size of a PNG file, in bytes.
    private static let limit = 256 << 20

    private let path: String
    private let arguments: @Sendable (Int) -> [String]

    /// Searches PATH for a supported program. If none is found, throws an error that lists the packages to install.
    init() throws(DeviceError) {
        let folders = (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin").split(separator: ":")
        for program in Self.programs {
            let files = folders.map { "\($0)/\(program.name)" }
            // Skips folders with the program's name.
            guard let file = files.first(where: { access($0, X_OK) == 0 && FileIO.isRegularFile($0) }) else { continue }
            (path, arguments) = (file, program.arguments)
            return
        }
        let names = Self.programs.map { "\($0.name) (apt install \($0.package))" }.joined(separator: " or ")
        throw DeviceError(
            .notFound,
            "PNG output requires \(names), but neither is installed. Install one of them, or write .svg or .html.")
    }

    /// Converts an SVG document to PNG. The resolution is in dots per inch. Throws an error if a stop is requested.
    func png(of svg: String, resolution: Int, until stop: StopRequest) async throws(DeviceError) -> [UInt8] {
        // Uses files, because pipes could deadlock if the program writes before reading all of its input.
        let (input, output) = (try Self.file(), try Self.file())
        defer {
            close(input)
            close(output)
        }
        guard case .written = Descriptor(number: input).write(Array(svg.utf8)), lseek(input, 0, SEEK_SET) == 0 else {
            throw Self.temporaryFileError("write")
        }
        let child = try ChildProgram.start([path] + arguments(resolution), input: input, output: output)
        stop.onRequest { child.terminate() }
        let status = await child.waitForExit()
        let picture = try FileIO.read("/proc/self/fd/\(output)", limit: Self.limit)
        guard status == 0, picture.starts(with: Self.signature) else {
            let how = status > 128 ? "ended by signal \(status - 128)" : "exit status \(status)"
            throw DeviceError(
                .inputOutput,
                "\(path) did not produce a PNG (\(how)); see its messages above. Write .svg or .html instead.")
        }
        return picture
    }

    private static func file() throws(DeviceError) -> Int32 {
        guard let file = TemporaryFiles.createUnlinkedFile(prefix: "sensorctl-plot-", in: directory) else {
            throw temporaryFileError("mkstemp")
        }
        return file
    }

    private static var directory: String { TemporaryFiles.directory(default: "/tmp") }

    private static func temporaryFileError(_ call: String) -> DeviceError {
        let cause = DeviceError.Cause.system(call: call, errno: errno)
        return DeviceError(
            .inputOutput,
            "PNG output requires a temporary file in \(directory), which cannot be written. Set TMPDIR to another folder.",
            cause: cause)
    }
}
