// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import SystemCalls
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TTYChannelTests {
    private func open(_ pty: Pty, _ settings: TTYSettings = TTYSettings(), retryDelays: [Double] = []) throws -> Watch {
        Watch(try ChannelOpener.open(.tty(path: pty.path, settings), clock: LiveClock(), retryDelays: retryDelays))
    }

    @Test("A port is in raw mode before the first byte can arrive")
    func raw() throws {
        let pty = try Pty()
        let slave = try pty.slave()
        defer { close(slave) }
        var before = termios()
        tcgetattr(slave, &before)
        #expect(before.c_lflag & tcflag_t(ICANON | ECHO) != 0)
        let watch = try open(pty)
        var line = termios()
        tcgetattr(slave, &line)
        #expect(line.c_lflag & tcflag_t(ICANON | ECHO | ISIG | IEXTEN) == 0)
        #expect(line.c_iflag & tcflag_t(ICRNL | IXON | IXOFF | ISTRIP) == 0)
        #expect(line.c_oflag & tcflag_t(OPOST) == 0)
        #expect(line.c_cflag & tcflag_t(CLOCAL | CREAD) == tcflag_t(CLOCAL | CREAD))
        #expect(cfgetospeed(&line) == speed_t(B115200))
        // In canonical mode, the terminal would swallow or change each of these bytes, and echo some.
        let awkward: [UInt8] = [0x11, 0x61, 0x03, 0x04, 0x0D, 0xFF, 0x7A, 0x13, 0x1A, 0x00]
        pty.master.send(awkward)
        #expect(watch.receive(awkward.count) == awkward)
        watch.write([0x0A, 0x0D])
        #expect(pty.master.receive(2) == [0x0A, 0x0D])
    }

    @Test("All byte values pass in both directions")
    func allValues() throws {
        let pty = try Pty()
        let watch = try open(pty)
        let all = (0...255).map { UInt8($0) }
        pty.master.send(all)
        #expect(watch.receive(256) == all)
        #expect(watch.write(all) == 256)
        #expect(pty.master.receive(256) == all)
    }

    @Test("Bytes received before the port was opened are discarded")
    func staleBytes() throws {
        let pty = try Pty()
        pty.master.send(Array("stale".utf8))
        let watch = try open(pty)
        pty.master.send(Array("fresh".utf8))
        #expect(watch.receive(5) == Array("fresh".utf8))
    }

    @Test("A speed without a termios constant is set", arguments: [250_000, 74_880, 31_250] as [UInt32])
    func arbitrarySpeed(_ speed: UInt32) throws {
        let pty = try Pty()
        let watch = try open(pty, TTYSettings(speed: speed))
        let slave = try pty.slave()
        defer { close(slave) }
        #expect(TTYSpeed.current(slave) == speed)
        pty.master.send([1, 2, 3])
        #expect(watch.receive(3) == [1, 2, 3])
    }

    @Test(
        "HUPCL is cleared if DTR is to be left unchanged",
        arguments: [TTYSettings.DTR.assert, .leave])
    func hangUpAtClose(_ policy: TTYSettings.DTR) throws {
        let pty = try Pty()
        let slave = try pty.slave()
        defer { close(slave) }
        var line = termios()
        tcgetattr(slave, &line)
        line.c_cflag |= tcflag_t(HUPCL)
        tcsetattr(slave, TCSANOW, &line)
        let watch = try open(pty, TTYSettings(dtr: policy, usesHardwareFlowControl: true))
        tcgetattr(slave, &line)
        #expect((line.c_cflag & tcflag_t(HUPCL) != 0) == (policy == .assert))
        // CRTSCTS
        #expect(line.c_cflag & 0x8000_0000 != 0)
        watch.channel.close()
    }

    @Test("A second open fails as busy, names the holder and leaves the received bytes to the first")
    func busy() throws {
        let pty = try Pty()
        let watch = try open(pty)
        pty.master.send(Array("for the first".utf8))
        let error = #expect(throws: DeviceError.self) { try open(pty) }
        #expect(error?.code == .busy)
        #expect(error?.message.contains(pty.path) == true)
        #expect(error?.message.contains("this program itself") == true)
        #expect(watch.receive(13) == Array("for the first".utf8))
        watch.write(Array("still".utf8))
        #expect(pty.master.receive(5) == Array("still".utf8))
    }

    @Test("A port locked with flock or TIOCEXCL is busy, and its settings are not changed")
    func locked() throws {
        for isLock in [true, false] {
            let pty = try Pty()
            let slave = try pty.slave()
            defer { close(slave) }
            if isLock { #expect(flock(slave, LOCK_EX) == 0) } else { #expect(ioctl(slave, UInt(TIOCEXCL)) == 0) }
            #expect { try open(pty) } throws: { ($0 as? DeviceError)?.code == .busy }
            var line = termios()
            tcgetattr(slave, &line)
            #expect(line.c_lflag & tcflag_t(ICANON) != 0)
        }
    }

    @Test("After the close the port is free, even if another descriptor is still open")
    func free() throws {
        let pty = try Pty()
        let slave = try pty.slave()
        defer { close(slave) }
        for round in 0..<20 {
            // A child process that another test is starting briefly inherits the descriptors of this process, and with
            // them the lock.
            let watch = try open(pty, retryDelays: Array(repeating: 0.01, count: 1000))
            pty.master.send([UInt8(round)])
            #expect(watch.receive(1) == [UInt8(round)])
            let semaphore = BinarySemaphore()
            (watch.channel as? NodeChannel)?.whenReleased { semaphore.signal() }
            watch.channel.close()
            #expect(semaphore.wait(seconds: 60))
        }
    }

    @Test("A missing node and a node that has hung up are reported")
    func vanished() throws {
        #expect {
            try ChannelOpener.open(.tty(path: "/dev/ttyNONE7", TTYSettings()), clock: LiveClock(), retryDelays: [])
        } throws: { error in
            (error as? DeviceError)?.code == .notFound && "\(error)".contains("/dev/ttyNONE7")
        }
        let pty = try Pty()
        let slave = try pty.slave()
        pty.master.close()
        #expect { try TTYPort(descriptor: slave, path: pty.path, settings: TTYSettings()) } throws: { error in
            let received = (error as? NodeFailure)?.deviceError
            return received?.code == .inputOutput && received?.message.contains("hung up") == true
        }
    }

    @Test("A node that is not a serial port, a speed of 0 and an empty path are rejected")
    func noPort() {
        #expect {
            try ChannelOpener.open(.tty(path: "/dev/null", TTYSettings()), clock: LiveClock(), retryDelays: [])
        } throws: { ($0 as? DeviceError)?.code == .invalidConfiguration }
        #expect {
            try ChannelOpener.open(.tty(path: "/dev/null", TTYSettings(speed: 0)), clock: LiveClock(), retryDelays: [])
        } throws: { ($0 as? DeviceError)?.code == .invalidConfiguration }
        #expect { try ChannelOpener.open(.tty(path: "", TTYSettings()), clock: LiveClock(), retryDelays: []) } throws: {
            ($0 as? DeviceError)?.code == .invalidConfiguration
        }
    }

    @Test("Bytes received before an unplug can still be read, and the end is reported once")
    func unplugged() throws {
        let pty = try Pty()
        let watch = try open(pty)
        pty.master.send(Array("last words".utf8))
        #expect(watch.waitForBytes(10))
        pty.master.close()
        let end = watch.waitForEnd()
        #expect(end?.reason == .hungUp)
        #expect(end?.unsentBytes == 0)
        #expect(end?.error == nil)
        #expect(watch.receive(100) == Array("last words".utf8))
        guard case .ended(let again) = watch.channel.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        else {
            Issue.record("reading continues after the end")
            return
        }
        #expect(again.reason == .hungUp)
        #expect(watch.write([1]) == -1)
        #expect(watch.ends == 1)
    }
}
