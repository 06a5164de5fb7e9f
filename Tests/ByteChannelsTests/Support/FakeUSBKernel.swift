// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ByteChannels
import DeviceCore
import Glibc
import Synchronization

/// A device with one interface and two bulk endpoints, behind calls like the kernel's. Readiness is a byte in a pair of
/// sockets for each finished request.
final class FakeUSBKernel: USBKernel {
    /// What was asked of the kernel, but for transfers.
    enum Call: Equatable {
        case claim(UInt32), select(interface: UInt32, alternate: UInt32), discard, release(UInt32), close
    }

    /// What went out in one request.
    struct Sent: Equatable {
        var bytes: [UInt8]
        var endsWithShortPacket: Bool
    }

    private struct State {
        var calls: [Call] = []
        var reads: [UInt] = []
        var writes: [UInt] = []
        var done: [UInt] = []
        /// What the device has to send.
        var outbox: [UInt8] = []
        var sent: [Sent] = []
        var isDetached = false
        var holdsWrites = false
        var failures: [UInt: Int32] = [:]
        var bell: Int32 = -1
        var port: Int32 = -1
        var isOpen = false
    }

    private let state = Mutex(State())
    /// Rings after every call.
    let bell = Bell()

    init(holdsWrites: Bool = false, failing request: UInt = 0, with number: Int32 = 0) {
        state.withLock { state in
            state.holdsWrites = holdsWrites
            if request != 0 { state.failures[request] = number }
        }
    }

    deinit {
        state.withLock { state in
            if state.bell >= 0 { Glibc.close(state.bell) }
        }
    }

    var calls: [Call] { state.withLock { $0.calls } }
    var sent: [Sent] { state.withLock { $0.sent } }
    var sentBytes: [UInt8] { sent.flatMap(\.bytes) }
    var readsUnderWay: Int { state.withLock { $0.reads.count } }
    var writesUnderWay: Int { state.withLock { $0.writes.count } }
    var isOpen: Bool { state.withLock { $0.isOpen } }
    var unread: Int { state.withLock { $0.outbox.count } }

    /// Waits until something holds; false after a minute.
    func wait(_ condition: () -> Bool) -> Bool {
        while !condition() { guard bell.wait(seconds: 60) else { return condition() } }
        return true
    }

    // MARK: The device

    /// Sends bytes as one transfer: a read ends where they end, or where it is full.
    func send(_ bytes: [UInt8]) {
        state.withLock { state in
            state.outbox += bytes
            deliver(&state)
        }
    }

    /// The oldest request that way ends with an error.
    func fail(read: Bool, with number: Int32) {
        state.withLock { state in
            guard let address = read ? state.reads.first : state.writes.first else { return }
            if read { state.reads.removeFirst() } else { state.writes.removeFirst() }
            finish(address, transferred: 0, status: -number, &state)
        }
    }

    /// What was held goes out.
    func takeWrites() {
        state.withLock { state in
            state.holdsWrites = false
            let waiting = state.writes
            state.writes = []
            for address in waiting { take(address, &state) }
        }
    }

    func unplug() {
        state.withLock { state in
            state.isDetached = true
            for address in state.reads + state.writes { finish(address, transferred: 0, status: -ESHUTDOWN, &state) }
            state.reads = []
            state.writes = []
            Glibc.close(state.bell)
            state.bell = -1
        }
    }

    // MARK: The kernel

    var completionEvents: Int16 { Int16(POLLIN) }

    func open(_ path: String) -> Int32 {
        guard path == "/dev/bus/usb/001/007", let ends = try? SocketPair.descriptors(SOCK_STREAM) else {
            return -ENOENT
        }
        return state.withLock { state in
            state.isOpen = true
            (state.bell, state.port) = ends
            return ends.1
        }
    }

    func close(_ descriptor: Int32) {
        Glibc.close(descriptor)
        state.withLock { state in
            state.isOpen = false
            state.calls.append(.close)
        }
        bell.ring()
    }

    func control(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        defer { bell.ring() }
        let place = UInt(bitPattern: argument)
        return state.withLock { state in
            guard let argument = UnsafeMutableRawPointer(bitPattern: place) else { return -EFAULT }
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
            case USBRequest.submit: return submit(place, &state)
            case USBRequest.discard: return discard(place, &state)
            case USBRequest.reap:
                guard !state.done.isEmpty else { return state.isDetached ? -ENODEV : -EAGAIN }
                var byte: UInt8 = 0
                read(state.port, &byte, 1)
                argument.storeBytes(of: state.done.removeFirst(), as: UInt.self)
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
        } else if state.holdsWrites {
            state.writes.append(address)
        } else {
            take(address, &state)
        }
        return 0
    }

    private func discard(_ address: UInt, _ state: inout State) -> Int32 {
        state.calls.append(.discard)
        state.reads.removeAll { $0 == address }
        state.writes.removeAll { $0 == address }
        finish(address, transferred: 0, status: -ENOENT, &state)
        return 0
    }

    private func deliver(_ state: inout State) {
        while !state.outbox.isEmpty, let address = state.reads.first, let block = block(address) {
            let count = min(block.buffer.count, state.outbox.count)
            block.buffer.copyBytes(from: state.outbox[..<count])
            state.outbox.removeFirst(count)
            state.reads.removeFirst()
            finish(address, transferred: count, status: 0, &state)
        }
    }

    private func take(_ address: UInt, _ state: inout State) {
        guard let block = block(address) else { return }
        state.sent.append(Sent(bytes: Array(block.buffer), endsWithShortPacket: block.endsWithShortPacket))
        finish(address, transferred: block.buffer.count, status: 0, &state)
    }

    private func finish(_ address: UInt, transferred: Int, status: Int32, _ state: inout State) {
        guard let block = block(address) else { return }
        block.status = status
        block.transferred = transferred
        state.done.append(address)
        var byte: UInt8 = 1
        if state.bell >= 0 { Glibc.send(state.bell, &byte, 1, Int32(MSG_NOSIGNAL)) }
    }
}
