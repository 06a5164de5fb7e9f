// SPDX-License-Identifier: Apache-2.0

import ByteChannels
import DeviceCore
import Synchronization
import SystemCalls

/// A simulated device with one interface and two bulk endpoints with packets of 64 bytes, behind calls like the
/// kernel's.
///
/// As in the kernel, a read request completes when it is full or receives a short packet, and poll() reports space to
/// write while completed requests are pending. For this purpose, the descriptor is the write end of a pipe that holds a
/// single byte. The pipe is full while no completed requests are pending, and its read end is closed when the device is
/// unplugged.
final class FakeUSBKernel: USBKernel {
    /// The calls to the kernel, except for transfers.
    enum Call: Equatable {
        case claim(UInt32), select(interface: UInt32, alternate: UInt32), discard, release(UInt32), close
    }

    /// The data sent by one request.
    struct Sent: Equatable {
        var bytes: [UInt8]
        var endsWithShortPacket: Bool
    }

    private struct State {
        var calls: [Call] = []
        var reads: [UInt] = []
        var writes: [UInt] = []
        var done: [UInt] = []
        /// The packets that the device will send.
        var pendingPackets: [ArraySlice<UInt8>] = []
        /// The number of bytes received by the oldest read request.
        var partial = 0
        var sent: [Sent] = []
        var isDetached = false
        var delaysWrites = false
        var failures: [UInt: Int32] = [:]
        /// The read end of the pipe.
        var pipe: Int32 = -1
        var port: Int32 = -1
        var isOpen = false
    }

    private let state = Mutex(State())
    /// Signaled after every call.
    let semaphore = BinarySemaphore()

    init(delaysWrites: Bool = false, failing request: UInt = 0, with number: Int32 = 0) {
        state.withLock { state in
            state.delaysWrites = delaysWrites
            if request != 0 { state.failures[request] = number }
        }
    }

    deinit {
        state.withLock { state in
            if state.pipe >= 0 { Glibc.close(state.pipe) }
        }
    }

    var calls: [Call] { state.withLock { $0.calls } }
    var sent: [Sent] { state.withLock { $0.sent } }
    var sentBytes: [UInt8] { sent.flatMap(\.bytes) }
    var pendingReadCount: Int { state.withLock { $0.reads.count } }
    var pendingWriteCount: Int { state.withLock { $0.writes.count } }
    var isOpen: Bool { state.withLock { $0.isOpen } }
    var unread: Int { state.withLock { $0.pendingPackets.reduce(0) { $0 + $1.count } } }

    /// Waits until the condition holds. Returns false after a minute.
    func wait(_ condition: () -> Bool) -> Bool {
        while !condition() { guard semaphore.wait(seconds: 60) else { return false } }
        return true
    }

    // MARK: Device

    static let packetLength = 64

    /// Sends bytes in packets, without a zero-length packet after a full last packet.
    func send(_ bytes: [UInt8]) {
        state.withLock { state in
            for start in stride(from: 0, to: bytes.count, by: Self.packetLength) {
                state.pendingPackets.append(bytes[start..<min(start + Self.packetLength, bytes.count)])
            }
            deliver(&state)
        }
    }

    /// Completes the oldest request in this direction with an error.
    func fail(read: Bool, with number: Int32) {
        state.withLock { state in
            guard let address = read ? state.reads.first : state.writes.first else { return }
            if read { state.reads.removeFirst() } else { state.writes.removeFirst() }
            finish(address, transferred: 0, status: -number, &state)
        }
    }

    /// Completes the oldest held writes, at most `count`.
    func completeWrites(_ count: Int) {
        state.withLock { state in
            for _ in 0..<min(count, state.writes.count) { complete(state.writes.removeFirst(), &state) }
        }
    }

    /// Completes all held writes. Later writes complete at once.
    func completeWrites() {
        state.withLock { state in
            state.delaysWrites = false
            let waiting = state.writes
            state.writes = []
            for address in waiting { complete(address, &state) }
        }
    }

    func unplug() {
        state.withLock { state in
            state.isDetached = true
            for address in state.reads + state.writes { finish(address, transferred: 0, status: -ESHUTDOWN, &state) }
            state.reads = []
            state.writes = []
            Glibc.close(state.pipe)
            state.pipe = -1
        }
    }

    // MARK: Kernel

    func open(_ path: String) -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard path == "/dev/bus/usb/001/007", pipe(&ends) == 0 else { return -ENOENT }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        // F_SETPIPE_SZ: one page, so that a single byte fills the pipe.
        _ = fcntl(ends[1], 1031, 1)
        return state.withLock { state in
            state.isOpen = true
            (state.pipe, state.port) = (ends[0], ends[1])
            signalReadiness(&state)
            return ends[1]
        }
    }

    /// Fills or drains the pipe so that poll() reports whether completed requests are pending.
    private func signalReadiness(_ state: inout State) {
        guard state.pipe >= 0, state.isOpen else { return }
        var byte: UInt8 = 0
        if state.done.isEmpty { write(state.port, &byte, 1) } else { read(state.pipe, &byte, 1) }
    }

    func close(_ descriptor: Int32) {
        state.withLock { state in
            Glibc.close(descriptor)
            state.isOpen = false
            state.calls.append(.close)
        }
        semaphore.signal()
    }

    func ioctl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        defer { semaphore.signal() }
        let address = UInt(bitPattern: argument)
        return state.withLock { state in
            guard let argument = UnsafeMutableRawPointer(bitPattern: address) else { return -EFAULT }
            if let failure = state.failures[request] { return -failure }
            switch request {
            case USBRequest.claim: state.calls.append(.claim(argument.load(as: UInt32.self)))
            case USBRequest.release: state.calls.append(.release(argument.load(as: UInt32.self)))
            case USBRequest.setInterface:
                state.calls.append(
                    .select(
                        interface: argument.load(as: UInt32.self),
                        alternate: argument.load(fromByteOffset: 4, as: UInt32.self)))
            case USBRequest.getDriver:
                let name = Array("cdc_acm".utf8)
                for (index, byte) in name.enumerated() {
                    argument.storeBytes(of: byte, toByteOffset: 4 + index, as: UInt8.self)
                }
            case USBRequest.submit: return submit(address, &state)
            case USBRequest.discard: return discard(address, &state)
            case USBRequest.reap:
                guard !state.done.isEmpty else { return state.isDetached ? -ENODEV : -EAGAIN }
                argument.storeBytes(of: state.done.removeFirst(), as: UInt.self)
                signalReadiness(&state)
            default: return -ENOTTY
            }
            return 0
        }
    }

    private func block(_ address: UInt) -> USBRequestBlock? {
        UnsafeMutableRawPointer(bitPattern: address).map { USBRequestBlock(address: $0) }
    }

    private func submit(_ address: UInt, _ state: inout State) -> Int32 {
        if state.isDetached { return -ENODEV }
        guard let block = block(address) else { return -EFAULT }
        if block.endpoint & 0x80 != 0 {
            state.reads.append(address)
            deliver(&state)
        } else if state.delaysWrites {
            state.writes.append(address)
        } else {
            complete(address, &state)
        }
        return 0
    }

    private func discard(_ address: UInt, _ state: inout State) -> Int32 {
        state.calls.append(.discard)
        if state.reads.first == address { state.partial = 0 }
        state.reads.removeAll { $0 == address }
        state.writes.removeAll { $0 == address }
        finish(address, transferred: 0, status: -ENOENT, &state)
        return 0
    }

    private func deliver(_ state: inout State) {
        while !state.pendingPackets.isEmpty, let address = state.reads.first, let block = block(address) {
            let packet = state.pendingPackets.removeFirst()
            let space = UnsafeMutableRawBufferPointer(rebasing: block.buffer[state.partial...])
            space.copyBytes(from: packet.prefix(space.count))
            state.partial += min(packet.count, space.count)
            let isBabble = packet.count > space.count
            guard isBabble || packet.count < Self.packetLength || packet.count == space.count else { continue }
            state.reads.removeFirst()
            finish(address, transferred: state.partial, status: isBabble ? -EOVERFLOW : 0, &state)
            state.partial = 0
        }
    }

    private func complete(_ address: UInt, _ state: inout State) {
        guard let block = block(address) else { return }
        state.sent.append(Sent(bytes: Array(block.buffer), endsWithShortPacket: block.endsWithShortPacket))
        finish(address, transferred: block.buffer.count, status: 0, &state)
    }

    private func finish(_ address: UInt, transferred: Int, status: Int32, _ state: inout State) {
        guard let block = block(address) else { return }
        block.status = status
        block.transferred = transferred
        state.done.append(address)
        signalReadiness(&state)
    }
}
