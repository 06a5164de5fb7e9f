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

    @Test("Opening claims the interface, selects the setting and submits reads, and closing undoes all three")
    func life() throws {
        let kernel = FakeUSBKernel()
        let (channel, _) = try open(kernel)
        #expect(kernel.calls == [.claim(2), .select(interface: 2, alternate: 1)])
        #expect(kernel.pendingReadCount == USBPort.readRequestCount)
        let semaphore = BinarySemaphore()
        channel.whenReleased { semaphore.signal() }
        channel.close()
        #expect(semaphore.wait(seconds: 60))
        let discarded = [FakeUSBKernel.Call](repeating: .discard, count: USBPort.readRequestCount)
        #expect(kernel.calls.dropFirst(2) == discarded + [.select(interface: 2, alternate: 0), .release(2), .close])
    }

    @Test("Short reads are delivered in order")
    func shortReads() throws {
        let kernel = FakeUSBKernel()
        let (_, watch) = try open(kernel)
        for count in 1...50 { kernel.send(pattern(count, from: count * 100)) }
        let expected = (1...50).flatMap { pattern($0, from: $0 * 100) }
        expectSame(watch.receive(expected.count), expected)
        #expect(kernel.wait { kernel.pendingReadCount == USBPort.readRequestCount })
    }

    @Test(
        "A message that ends with a full packet is delivered at once", arguments: [64, 128, 512])
    func fullPackets(_ count: Int) throws {
        let kernel = FakeUSBKernel()
        let (_, watch) = try open(kernel)
        kernel.send(pattern(count))
        #expect(watch.receive(count) == pattern(count))
    }

    @Test("A device that sends more than the app reads is held back, and no bytes are lost")
    func backPressure() throws {
        let kernel = FakeUSBKernel()
        let (_, watch) = try open(kernel)
        let bytes = pattern(400_000)
        kernel.send(bytes)
        #expect(watch.waitForBytes(65_536))
        #expect(kernel.wait { kernel.pendingReadCount == 0 })
        // The buffer is full, and each read request holds one packet that waits for space.
        #expect(kernel.unread == 400_000 - 65_536 - USBPort.readRequestCount * FakeUSBKernel.packetLength)
        expectSame(watch.receive(bytes.count), bytes)
    }

    @Test(
        "Only a write that ends with a full packet is followed by a zero-length packet",
        arguments: zip([1, 63, 64, 65, 128, 1000, 16_384], [false, false, true, false, true, false, true]))
    func emptyPacket(_ count: Int, _ isFull: Bool) throws {
        let kernel = FakeUSBKernel()
        let (_, watch) = try open(kernel)
        #expect(watch.write(pattern(count)) == count)
        #expect(kernel.sent == [FakeUSBKernel.Sent(bytes: pattern(count), endsWithShortPacket: isFull)])
    }

    @Test("A long write is split at packet boundaries, without a zero-length packet in between")
    func longWrite() throws {
        let kernel = FakeUSBKernel()
        let (_, watch) = try open(kernel)
        #expect(watch.write(pattern(20_000)) == 20_000)
        #expect(kernel.wait { kernel.sentBytes.count == 20_000 })
        expectSame(kernel.sentBytes, pattern(20_000))
        #expect(kernel.sent.map(\.endsWithShortPacket) == [false, false])
    }

    @Test("A write that wraps around the buffer is split without a zero-length packet in between")
    func wrappedWrite() throws {
        let kernel = FakeUSBKernel(delaysWrites: true)
        let (_, watch) = try open(kernel)
        let bytes = pattern(4 * 16_384 + 60_000 + 20_001)
        #expect(watch.write(Array(bytes[..<125_536])) == 125_536)
        // The channel's buffer is drained to half its length, so that the next write begins near its end.
        kernel.completeWrites(2)
        #expect(kernel.wait { kernel.sent.count == 2 && kernel.pendingWriteCount == 4 })
        #expect(watch.send(Array(bytes[125_536...])))
        kernel.completeWrites()
        #expect(kernel.wait { kernel.sentBytes.count == bytes.count })
        expectSame(kernel.sentBytes, bytes)
        #expect(!kernel.sent.contains { $0.endsWithShortPacket })
    }

    @Test("A device that accepts nothing fills the buffer, and receives all bytes once it accepts them")
    func slowDevice() throws {
        let kernel = FakeUSBKernel(delaysWrites: true)
        let (channel, watch) = try open(kernel)
        let bytes = pattern(200_000)
        let first = watch.write(bytes)
        #expect(first == 4 * 16_384 + 65_536)
        #expect(channel.spaceAvailable == 0)
        kernel.completeWrites()
        #expect(watch.send(Array(bytes[first...])))
        #expect(kernel.wait { kernel.sentBytes.count == bytes.count })
        expectSame(kernel.sentBytes, bytes)
    }

    @Test("Closing completes pending writes before it restores the interface setting")
    func closing() throws {
        let kernel = FakeUSBKernel(delaysWrites: true)
        let (channel, watch) = try open(kernel, clock: VirtualClock())
        let bytes = pattern(100_000)
        #expect(watch.write(bytes) == bytes.count)
        channel.close()
        #expect(!kernel.calls.contains(.close))
        kernel.completeWrites()
        #expect(kernel.wait { kernel.calls.last == .close })
        expectSame(kernel.sentBytes, bytes)
    }

    @Test("Closing cancels writes that the device has not accepted after two seconds")
    func cancel() throws {
        let kernel = FakeUSBKernel(delaysWrites: true)
        let clock = VirtualClock()
        let (channel, watch) = try open(kernel, clock: clock)
        #expect(watch.write(pattern(100_000)) == 100_000)
        channel.close()
        #expect(clock.runNextTimer(upTo: clock.now.advanced(bySeconds: 2)))
        #expect(kernel.wait { kernel.calls.last == .close })
        #expect(kernel.calls.count { $0 == .discard } == USBPort.readRequestCount + 4)
        #expect(kernel.sentBytes.isEmpty)
    }

    @Test("An unplug during transfers ends the channel once and counts the unsent bytes")
    func unplugged() throws {
        let kernel = FakeUSBKernel(delaysWrites: true)
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

    @Test("A stall ends the channel with an error, after the received bytes", arguments: [true, false])
    func stall(_ isRead: Bool) throws {
        let kernel = FakeUSBKernel(delaysWrites: true)
        let (_, watch) = try open(kernel)
        kernel.send([1, 2, 3])
        watch.write([9])
        kernel.fail(read: isRead, with: EPIPE)
        let end = watch.waitForEnd()
        #expect(end?.reason == .failed)
        #expect(end?.error?.cause == .system(call: "bulk transfer", errno: EPIPE))
        #expect(watch.receive(100) == [1, 2, 3])
    }

    @Test("Errors during an unplug are reported as a hang-up", arguments: [EPROTO, EILSEQ, ESHUTDOWN, ENODEV])
    func pulled(_ number: Int32) throws {
        let kernel = FakeUSBKernel()
        let (_, watch) = try open(kernel)
        kernel.fail(read: true, with: number)
        #expect(watch.waitForEnd()?.reason == .hungUp)
    }

    @Test("An interface with a driver is busy, and the error names the driver")
    func busy() {
        let kernel = FakeUSBKernel(failing: USBRequest.claim, with: EBUSY)
        let error = #expect(throws: DeviceError.self) { try USBPort.open(Self.endpoints(), kernel: kernel) }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("cdc_acm") == true)
        #expect(!kernel.isOpen)
    }

    @Test("A failed open reverts the previous steps", arguments: [USBRequest.setInterface, USBRequest.submit])
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

    @Test("The error names the failed call")
    func named() {
        let kernel = FakeUSBKernel(failing: USBRequest.submit, with: ENODEV)
        let error = #expect(throws: DeviceError.self) { try USBPort.open(Self.endpoints(), kernel: kernel) }
        #expect(error?.cause == .system(call: "USBDEVFS_SUBMITURB", errno: ENODEV))
    }

    @Test("An endpoint with the wrong direction and a missing node are rejected")
    func wrong() {
        let outward = Self.endpoints(input: 0x01)
        #expect { try USBPort.open(outward, kernel: FakeUSBKernel()) } throws: {
            ($0 as? DeviceError)?.code == .invalidConfiguration
        }
        let absent = Self.endpoints(path: "/dev/bus/usb/001/099")
        #expect { try USBPort.open(absent, kernel: FakeUSBKernel()) } throws: {
            ($0 as? DeviceError)?.code == .notFound
        }
        #expect { try ChannelOpener.open(.usb(absent), clock: LiveClock(), retryDelays: []) } throws: {
            ($0 as? DeviceError)?.code == .notFound
        }
    }
}
