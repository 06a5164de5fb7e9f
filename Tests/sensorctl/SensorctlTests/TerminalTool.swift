// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls

/// A sensorctl in a terminal. Its output is a pipe to the test.
final class TerminalTool {
    /// Runs a program with a controlling terminal of its own. Part of util-linux.
    static let launcher = "/usr/bin/setsid"
    /// The shell leads the terminal's session and outlives the tool, because a terminal loses its settings when its
    /// leader exits. Its traps keep the shell running when a key sends a signal to the tool.
    private static let leader = #"trap : INT QUIT TSTP; "$0" "$@"; echo "status $?"; read line"#

    static var canRun: Bool { FileManager.default.isExecutableFile(atPath: launcher) }

    /// The settings of a terminal that the tool may change.
    struct Settings: Equatable {
        var input, output, control, local: tcflag_t
        var minimum, time: UInt8

        /// True if keys such as Ctrl-C send a signal.
        var makesSignals: Bool { local & tcflag_t(ISIG) != 0 }
        var echoes: Bool { local & tcflag_t(ECHO) != 0 }
        var waitsForLines: Bool { local & tcflag_t(ICANON) != 0 }
    }

    private let process = Process()
    private let output = OutputLines()
    private let terminated = BinarySemaphore()
    private let keyboard: FileHandle
    private let line: FileHandle
    /// The settings before the tool ran.
    private(set) var initial: Settings?

    /// - Parameter isLeader: true if the tool leads the terminal's session itself, like a tool started by ssh or
    /// docker.
    init(_ arguments: [String], environment: [String: String] = [:], isLeader: Bool = false) throws {
        let number = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard number >= 0 else { throw POSIXError(.ENOTTY) }
        keyboard = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        // TIOCSPTLCK and TIOCGPTN, which Swift does not import: unlock the terminal and get its number.
        var isLocked: Int32 = 0
        var index: UInt32 = 0
        guard ioctl(number, 0x4004_5431, &isLocked) == 0, ioctl(number, 0x8004_5430, &index) == 0 else {
            throw POSIXError(.ENOTTY)
        }
        let path = "/dev/pts/\(index)"
        let other = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard other >= 0 else { throw POSIXError(.ENOTTY) }
        line = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        let shell = isLeader ? [] : ["/bin/sh", "-c", Self.leader]
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["--default-signal", Self.launcher, "--ctty", "--wait"] + shell + [Tool.path ?? ""] + arguments
        process.environment = Tool.environment.merging(environment) { $1 }
        process.standardInput = line
        process.standardOutput = output.pipe
        process.standardError = FileHandle.nullDevice
        initial = settings
        process.terminationHandler = { [terminated] _ in terminated.signal() }
        try process.run()
    }

    deinit {
        // The hang-up of its terminal ends the tool.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    var settings: Settings? {
        var current = termios()
        guard tcgetattr(keyboard.fileDescriptor, &current) == 0 else { return nil }
        let keys = withUnsafeBytes(of: current.c_cc) { Array($0) }
        return Settings(
            input: current.c_iflag, output: current.c_oflag, control: current.c_cflag, local: current.c_lflag,
            minimum: keys[Int(VMIN)], time: keys[Int(VTIME)])
    }

    func press(_ keys: [UInt8]) throws { try keyboard.write(contentsOf: Data(keys)) }

    /// Hangs up the terminal.
    func hangUp() throws { try keyboard.close() }

    /// The exit code of a tool that leads its session, or nil after 60 s.
    func leaderStatus() -> Int32? {
        guard terminated.wait(seconds: 60) else { return nil }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Returns the next line, or nil at the end of the output or after 60 s without output.
    func nextLine() -> String? { output.nextLine() }

    /// Waits for the end of the tool. Returns its exit code and the settings of the terminal afterwards.
    func end() -> (status: Int32?, settings: Settings?) {
        var status: Int32?
        while status == nil, let line = nextLine() {
            if line.hasPrefix("status ") { status = Int32(line.dropFirst("status ".count)) }
        }
        let settings = settings
        guard status != nil else { return (nil, settings) }
        try? press([UInt8(ascii: "\n")])
        process.waitUntilExit()
        return (status, settings)
    }
}
