// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls

/// A sensorctl whose user sits at a terminal; what it prints goes to the test.
final class TerminalTool {
    /// Puts a program under a terminal of its own; part of util-linux.
    static let launcher = "/usr/bin/setsid"
    /// The shell leads the terminal's session and outlives the tool, because a terminal forgets its settings when its
    /// leader ends. A signal by key is for the tool.
    private static let leader = #"trap : INT QUIT TSTP; "$0" "$@"; echo "status $?"; read line"#

    static var canRun: Bool { FileManager.default.isExecutableFile(atPath: launcher) }

    /// What of a terminal's settings the tool may change.
    struct Settings: Equatable {
        var input, output, control, local: tcflag_t
        var minimum, time: UInt8

        /// True when a key such as Ctrl-C sends a signal.
        var makesSignals: Bool { local & tcflag_t(ISIG) != 0 }
        var echoes: Bool { local & tcflag_t(ECHO) != 0 }
        var waitsForLines: Bool { local & tcflag_t(ICANON) != 0 }
    }

    private let process = Process()
    private let output = OutputLines()
    private let ended = Bell()
    private let keyboard: FileHandle
    private let line: FileHandle
    /// The settings before the tool ran.
    private(set) var initial: Settings?

    /// - Parameter isLeader: True for a tool that leads the terminal's session itself, as one that ssh or docker starts.
    init(_ arguments: [String], environment: [String: String] = [:], isLeader: Bool = false) throws {
        let number = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard number >= 0 else { throw POSIXError(.ENOTTY) }
        keyboard = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        // TIOCSPTLCK and TIOCGPTN, which Swift does not import: open the lock, and ask for the terminal's number.
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
        process.terminationHandler = { [ended] _ in ended.ring() }
        try process.run()
    }

    deinit {
        // The hang-up of its terminal ends it.
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

    /// Takes the terminal away.
    func hangUp() throws { try keyboard.close() }

    /// The exit code of a tool that leads its session; nil when it goes on for a minute.
    func leaderStatus() -> Int32? {
        guard ended.wait(seconds: 60) else { return nil }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The next line; nil at the end of the output, or when none comes within a minute.
    func nextLine() -> String? { output.nextLine() }

    /// Waits for the tool's end: its status, and what it has left the terminal's settings as.
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
