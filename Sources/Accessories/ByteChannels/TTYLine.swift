// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import SystemCalls

/// The settings of an open serial port. Requests other than those of termios are tried: not every driver knows them.
struct TTYLine {
    let descriptor: Int32
    let path: String

    /// Makes the port ours and raw, in this order: nothing is changed on a port that somebody else has.
    func setUp(_ settings: TTYSettings) throws(NodeFailure) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw failure("flock") }
        var isExclusive: Int32 = 0
        let isMarked = systemControl(descriptor, TTYLine.getExclusive, &isExclusive) >= 0 && isExclusive != 0
        // On a pseudo-terminal the mark outlives a program that was killed, for as long as the other side is there.
        if isMarked, !isPseudoTerminal || NodeHolder.find(path, except: descriptor) != nil {
            throw NodeFailure(busy: path)
        }
        let hasExclusive = !isPseudoTerminal && systemControl(descriptor, UInt(TIOCEXCL)) >= 0
        do throws(NodeFailure) {
            try makeRaw(settings)
        } catch {
            // It would outlive this descriptor where another one is open.
            if hasExclusive { share() }
            throw error
        }
        SerialDriver.tune(descriptor)
        // Input that came for nobody. Output of a former owner is left alone: a pseudo-terminal would lose what the
        // other side has not read.
        tcflush(descriptor, TCIFLUSH)
        // Last: some firmware begins to send when it sees it.
        if settings.dtr == .assert {
            var lines = Int32(TTYLine.dataTerminalReady)
            _ = systemControl(descriptor, UInt(TIOCMBIS), &lines)
        }
    }

    /// How many bytes the driver holds; 0 where it does not tell.
    var bytesToSend: Int {
        var count: Int32 = 0
        return systemControl(descriptor, UInt(TIOCOUTQ), &count) >= 0 ? Int(count) : 0
    }

    /// Lets others open the port: the mark stays for as long as anybody has it open.
    func share() {
        _ = systemControl(descriptor, UInt(TIOCNXCL))
    }

    private var isPseudoTerminal: Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        // The kernel's numbers for the drivers of the sides that programs open.
        return (136...143).contains(UInt64(status.st_rdev) >> 8 & 0xFFF)
    }

    static let getExclusive = IOControl.number(.fromKernel, "T", 0x40, size: 4)
    static let dataTerminalReady = 0x002

    private func makeRaw(_ settings: TTYSettings) throws(NodeFailure) {
        var line = termios()
        guard tcgetattr(descriptor, &line) == 0 else { throw failure("tcgetattr") }
        cfmakeraw(&line)
        line.c_iflag &= ~tcflag_t(IXON | IXOFF | IXANY | INPCK)
        line.c_cflag &= ~(tcflag_t(CSTOPB) | TTYLine.hardwareFlowControl)
        line.c_cflag |= tcflag_t(CLOCAL | CREAD)
        if settings.usesHardwareFlowControl { line.c_cflag |= TTYLine.hardwareFlowControl }
        if settings.dtr == .leave { line.c_cflag &= ~tcflag_t(HUPCL) }
        withUnsafeMutableBytes(of: &line.c_cc) { characters in
            // With a minimum of 0 nothing to read would look like the end.
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        let standard = TTYSpeed.constant(settings.speed)
        if let standard {
            cfsetispeed(&line, standard)
            cfsetospeed(&line, standard)
        }
        guard tcsetattr(descriptor, TCSANOW, &line) == 0 else { throw failure("tcsetattr") }
        // It succeeds when any part of what was asked for could be done.
        var result = termios()
        guard tcgetattr(descriptor, &result) == 0 else { throw failure("tcgetattr") }
        let minimum = withUnsafeBytes(of: &result.c_cc) { $0[Int(VMIN)] }
        guard result.c_lflag & tcflag_t(ICANON | ECHO | ISIG | IEXTEN) == 0, result.c_oflag & tcflag_t(OPOST) == 0,
            result.c_iflag & tcflag_t(ICRNL | INLCR | IGNCR | ISTRIP | IXON | IXOFF) == 0, minimum == 1
        else {
            throw NodeFailure(
                .notSupported, "\(path) cannot be set up so that bytes pass as they are. Use another kind of port.")
        }
        if let standard {
            guard cfgetospeed(&result) == standard else { throw wrongSpeed(settings.speed) }
        } else {
            guard TTYSpeed.setArbitrary(settings.speed, descriptor) else { throw wrongSpeed(settings.speed) }
        }
    }

    /// CRTSCTS, which is imported with different types.
    private static let hardwareFlowControl: tcflag_t = 0x8000_0000

    private func wrongSpeed(_ speed: UInt32) -> NodeFailure {
        NodeFailure(
            .notSupported,
            "\(path) does not run at \(speed) bits a second. Set a speed that the port knows, as in 115200.")
    }

    private func failure(_ call: String) -> NodeFailure {
        let number = errno
        if number == EIO {
            return NodeFailure(
                .inputOutput, "\(path) has hung up: the accessory is being unplugged. Wait until it is attached again.",
                cause: .system(call: call, errno: number))
        }
        return NodeFailure(opening: path, call: call, errno: number)
    }
}
