// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import SystemCalls
import Testing

@Suite(.timeLimit(.minutes(5)))
struct USBChannelTests {
    private static func endpoints(path: String = "/dev/bus/usb/001/007", input: UInt8 = 0x81) -> USBEndpoints {
        USBEndpoints(path: path, interface: 2, alternate: 1, input: input, output: 0x02, packetLength: 64)
    }

    private func open(
        _ kernel: FakeUSBKernel, clock: any DeviceClock = LiveClock()
    ) throws -> (channel: NodeChannel, watch: Watch) {
        let channel = try NodeChannel(USBPort.open(Self.endpoints(), kernel: kernel), clock: clock)
        return (channel, Watch(channel))
    }

    @Test("Opening claims the interface, selects the setting and reads ahead; closing takes all of it back")
    func life() throws {
        let kernel = FakeUSBKernel()
        let (channel, _) = try open(kernel)
        #expect(kernel.calls == [.claim(2), .select(interface: 2, alternate: 1)])
        #expect(kernel.readsUnderWay == USBPort.readCount)
        let bell = Bell()
        channel.whenReleased { bell.ring() }
        channel.close()
        #expect(bell.wait(seconds: 60))
        let discarded = [FakeUSBKernel.Call](repeating: .discard, count: USBPort.readCount)
        #expect(kernel.calls.dropFirst(2) == discarded + [.select(interface: 2, alternate: 0), .release(2), .close])
    }

    @Test("Short reads come in their order")
    func shortReads() throws {
        let kernel = FakeUSBKernel()
        let (_, watch) = try open(kernel)
        for count in 1...50 { kernel.send(pattern(count, from: count * 100)) }
        let expected = (1...50).flatMap { pattern($0, from: $0 * 100) }
        expectSame(watch.receive(expected.count), expected)
        #expect(kernel.wait { kernel.readsUnderWay == USBPort.readCount })
    }

    @Test(
        "A message that fills its last packet comes at once, though no empty packet follows", arguments: [64, 128, 512])
    func fullPackets(_ count: Int) throws {
        let kernel = FakeUSBKernel()
        let (_, watch) = try open(kernel)
        kernel.send(pattern(count))
        #expect(watch.receive(count) == pattern(count))
    }

    @Test("A device that sends more than the app reads waits, and loses nothing")
    func backPressure() throws {
        let kernel = FakeUSBKernel()
        let (_, watch) = try open(kernel)
        let bytes = pattern(400_000)
        kernel.send(bytes)
        #expect(watch.waitForBytes(65_536))
        #expect(kernel.wait { kernel.readsUnderWay == 0 })
        // The buffer, and requests of a packet each that wait for space in it.
        #expect(kernel.unread == 400_000 - 65_536 - USBPort.readCount * FakeUSBKernel.packetLength)
        expectSame(watch.receive(bytes.count), bytes)
    }

    @Test(
        "Data that fills its last packet is followed by an empty one, other data is not",
        arguments: zip([1, 63, 64, 65, 128, 1000, 16_384], [false, false, true, false, true, false, true]))
    func emptyPacket(_ count: Int, _ isFull: Bool) throws {
        let kernel = FakeUSBKernel()
        let (_, watch) = try open(kernel)
        #expect(watch.write(pattern(count)) == count)
        #expect(kernel.sent == [FakeUSBKernel.Sent(bytes: pattern(count), endsWithShortPacket: isFull)])
    }

    @Test("A long write is cut where packets end, without an empty packet between")
    func longWrite() throws {
        let kernel = FakeUSBKernel()
        let (_, watch) = try open(kernel)
        #expect(watch.write(pattern(20_000)) == 20_000)
        #expect(kernel.wait { kernel.sentBytes.count == 20_000 })
        expectSame(kernel.sentBytes, pattern(20_000))
        #expect(kernel.sent.map(\.endsWithShortPacket) == [false, false])
    }

    @Test("A write that goes round the end of the buffer is cut without an empty packet between")
    func wrappedWrite() throws {
        let kernel = FakeUSBKernel(holdsWrites: true)
        let (_, watch) = try open(kernel)
        let bytes = pattern(4 * 16_384 + 60_000 + 20_001)
        #expect(watch.write(Array(bytes[..<125_536])) == 125_536)
        // The channel's buffer is read up to half its length, and the next write begins near the end of it.
        kernel.takeWrites(2)
        #expect(kernel.wait { kernel.sent.count == 2 && kernel.writesUnderWay == 4 })
        #expect(watch.send(Array(bytes[125_536...])))
        kernel.takeWrites()
        #expect(kernel.wait { kernel.sentBytes.count == bytes.count })
        expectSame(kernel.sentBytes, bytes)
        #expect(!kernel.sent.contains { $0.endsWithShortPacket })
    }

    @Test("A device that takes nothing fills the buffer, and gets everything once it takes")
    func slowDevice() throws {
        let kernel = FakeUSBKernel(holdsWrites: true)
        let (channel, watch) = try open(kernel)
        let bytes = pattern(200_000)
        let first = watch.write(bytes)
        #expect(first == 4 * 16_384 + 65_536)
        #expect(channel.spaceAvailable == 0)
        kernel.takeWrites()
        #expect(watch.send(Array(bytes[first...])))
        #expect(kernel.wait { kernel.sentBytes.count == bytes.count })
        expectSame(kernel.sentBytes, bytes)
    }

    @Test("Closing sends what is under way before the setting is taken back")
    func closing() throws {
        let kernel = FakeUSBKernel(holdsWrites: true)
        let (channel, watch) = try open(kernel, clock: VirtualClock())
        let bytes = pattern(100_000)
        #expect(watch.write(bytes) == bytes.count)
        channel.close()
        #expect(!kernel.calls.contains(.close))
        kernel.takeWrites()
        #expect(kernel.wait { kernel.calls.last == .close })
        expectSame(kernel.sentBytes, bytes)
    }

    @Test("Closing cancels what a device does not take, after two seconds of the device's clock")
    func cancel() throws {
        let kernel = FakeUSBKernel(holdsWrites: true)
        let clock = VirtualClock()
        let (channel, watch) = try open(kernel, clock: clock)
        #expect(watch.write(pattern(100_000)) == 100_000)
        channel.close()
        #expect(clock.runNextTimer(upTo: clock.now.advanced(bySeconds: 2)))
        #expect(kernel.wait { kernel.calls.last == .close })
        #expect(kernel.calls.count { $0 == .discard } == USBPort.readCount + 4)
        #expect(kernel.sentBytes.isEmpty)
    }

    @Test("An unplug with transfers under way ends the channel once, and counts what was lost")
    func unplugged() throws {
        let kernel = FakeUSBKernel(holdsWrites: true)
        let (_, watch) = try open(kernel)
        kernel.send(Array("last words".utf8))
        #expect(watch.write(pattern(100_000)) == 100_000)
        kernel.unplug()
        let end = watch.waitForEnd()
        #expect(end?.reason == .hungUp)
        #expect(end?.unsentBytes == 100_000)
        #expect(end?.error?.code == .connectionLost)
        #expect(watch.receive(100) == Array("last words".utf8))
        #expect(watch.ends == 1)
        #expect(kernel.wait { kernel.calls.last == .close })
        #expect(watch.write([1]) == -1)
    }

    @Test("A stall ends the channel with an error, behind what had come", arguments: [true, false])
    func stall(_ isRead: Bool) throws {
        let kernel = FakeUSBKernel(holdsWrites: true)
        let (_, watch) = try open(kernel)
        kernel.send([1, 2, 3])
        watch.write([9])
        kernel.fail(read: isRead, with: EPIPE)
        let end = watch.waitForEnd()
        #expect(end?.reason == .failed)
        #expect(end?.error?.cause == .system(call: "a bulk transfer", errno: EPIPE))
        #expect(watch.receive(100) == [1, 2, 3])
    }

    @Test("The errors of a plug that is being pulled are a hang-up", arguments: [EPROTO, EILSEQ, ESHUTDOWN, ENODEV])
    func pulled(_ number: Int32) throws {
        let kernel = FakeUSBKernel()
        let (_, watch) = try open(kernel)
        kernel.fail(read: true, with: number)
        #expect(watch.waitForEnd()?.reason == .hungUp)
    }

    @Test("An interface with a driver is busy, and the driver is named")
    func busy() {
        let kernel = FakeUSBKernel(failing: USBRequest.claim, with: EBUSY)
        let error = #expect(throws: DeviceError.self) { try USBPort.open(Self.endpoints(), kernel: kernel) }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("cdc_acm") == true)
        #expect(!kernel.isOpen)
    }

    @Test("A failure half way gives everything back", arguments: [USBRequest.setInterface, USBRequest.submit])
    func half(_ request: UInt) {
        let kernel = FakeUSBKernel(failing: request, with: ENODEV)
        #expect { try USBPort.open(Self.endpoints(), kernel: kernel) } throws: {
            ($0 as? DeviceError)?.code == .notFound
        }
        let selects: [FakeUSBKernel.Call] =
            request == USBRequest.submit
            ? [.select(interface: 2, alternate: 1), .select(interface: 2, alternate: 0)] : []
        #expect(kernel.calls == [.claim(2)] + selects + [.release(2), .close])
    }

    @Test("The error names the call that failed")
    func named() {
        let kernel = FakeUSBKernel(failing: USBRequest.submit, with: ENODEV)
        let error = #expect(throws: DeviceError.self) { try USBPort.open(Self.endpoints(), kernel: kernel) }
        #expect(error?.cause == .system(call: "USBDEVFS_SUBMITURB", errno: ENODEV))
    }

    @Test("Endpoints of the wrong way, or a node that is not there, are refused")
    func wrong() {
        let outward = Self.endpoints(input: 0x01)
        #expect { try USBPort.open(outward, kernel: FakeUSBKernel()) } throws: {
            ($0 as? DeviceError)?.code == .invalidConfiguration
        }
        let absent = Self.endpoints(path: "/dev/bus/usb/001/099")
        #expect { try USBPort.open(absent, kernel: FakeUSBKernel()) } throws: {
            ($0 as? DeviceError)?.code == .notFound
        }
        #expect { try ChannelOpener.open(.usb(absent), clock: LiveClock(), pauses: []) } throws: {
            ($0 as? DeviceError)?.code == .notFound
        }
    }
}
