// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import SystemCalls

/// Configures an open serial port. Failures to set exclusive mode, the DTR line, low latency or the closing wait are
/// ignored, because not all drivers support these settings.
struct TTYLine {
    let descriptor: Int32
    let path: String

    /// Locks the port for exclusive use and then switches it to raw mode. If another program uses the port, throws
    /// without changing the port's settings.
    func setUp(_ settings: TTYSettings) throws(NodeFailure) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw failure("flock") }
        var isExclusive: Int32 = 0
        let isMarked = systemIoctl(descriptor, TTYLine.getExclusive, &isExclusive) >= 0 && isExclusive != 0
        // If a program that uses a pseudo-terminal is killed, exclusive mode persists until the other side is closed.
        // Exclusive mode therefore does not by itself prove that the pseudo-terminal is in use.
        if isMarked, !isPseudoTerminal || NodeHolder.find(path, except: descriptor) != nil {
            throw NodeFailure(busy: path)
        }
        let hasExclusive = !isPseudoTerminal && systemControl(descriptor, UInt(TIOCEXCL)) >= 0
        do throws(NodeFailure) {
            try makeRaw(settings)
        } catch {
            // Without this call, exclusive mode would persist while any other descriptor refers to the port.
            if hasExclusive { endExclusiveMode() }
            throw error
        }
        SerialDriver.configure(descriptor)
        // Discards old input, but not old output. On a pseudo-terminal, the other side may not yet have read the
        // previous program's output.
        tcflush(descriptor, TCIFLUSH)
        // DTR is set last, because some firmware begins to send as soon as DTR is asserted.
        if settings.dtr == .assert {
            var lines = Int32(TTYLine.dataTerminalReady)
            _ = systemIoctl(descriptor, UInt(TIOCMBIS), &lines)
        }
    }

    /// The number of bytes in the driver's output queue, or 0 if the driver does not report it.
    var bytesToSend: Int {
        var count: Int32 = 0
        return systemIoctl(descriptor, UInt(TIOCOUTQ), &count) >= 0 ? Int(count) : 0
    }

    func endExclusiveMode() { _ = systemControl(descriptor, UInt(TIOCNXCL)) }

    private var isPseudoTerminal: Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        // The major device numbers of the pseudo-terminals in /dev/pts.
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
            // If VMIN were 0, a read with no available input would return 0, as it does at the end of the stream.
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        let standard = TTYSpeed.constant(settings.speed)
        if let standard {
            cfsetispeed(&line, standard)
            cfsetospeed(&line, standard)
        }
        guard tcsetattr(descriptor, TCSANOW, &line) == 0 else { throw failure("tcsetattr") }
        // tcsetattr(3) succeeds even if only some of the changes could be made, so the result is checked.
        var result = termios()
        guard tcgetattr(descriptor, &result) == 0 else { throw failure("tcgetattr") }
        let minimum = withUnsafeBytes(of: &result.c_cc) { $0[Int(VMIN)] }
        guard result.c_lflag & tcflag_t(ICANON | ECHO | ISIG | IEXTEN) == 0, result.c_oflag & tcflag_t(OPOST) == 0,
            result.c_iflag & tcflag_t(ICRNL | INLCR | IGNCR | ISTRIP | IXON | IXOFF) == 0, minimum == 1
        else {
            throw NodeFailure(
                .notSupported, "\(path) does not support raw mode (unmodified bytes). Use another kind of port.")
        }
        if let standard {
            guard cfgetospeed(&result) == standard else { throw wrongSpeed(settings.speed) }
        } else {
            guard TTYSpeed.setArbitrary(settings.speed, descriptor) else { throw wrongSpeed(settings.speed) }
        }
    }

    /// The value of CRTSCTS. The imported constant cannot be used, because its type differs between platforms.
    private static let hardwareFlowControl: tcflag_t = 0x8000_0000

    private func wrongSpeed(_ speed: UInt32) -> NodeFailure {
        NodeFailure(
            .notSupported, "\(path) does not support \(speed) bits per second. Set a supported speed, such as 115200.")
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
