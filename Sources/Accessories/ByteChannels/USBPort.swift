// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
import Synchronization
import SystemCalls
package import DeviceCore

/// A pair of bulk endpoints. The port submits asynchronous requests to usbdevice_fs. Read requests are always pending,
/// whereas write requests are pending only while there is output.
package final class USBPort: Port {
    struct State: ~Copyable {
        var input: USBTransfers
        var output: USBTransfers
        var pendingOutputBytes = 0
        var failure: ByteChannelEnd?
    }

    /// The number of read requests. The kernel completes a request when its buffer is full or a short packet arrives.
    /// Each request is therefore one packet long. Longer requests would delay a message that ends with a full packet.
    package static let readRequestCount = 32
    /// The number of write requests, and the length of each in bytes. The length is a multiple of every possible bulk
    /// packet size.
    static let writeRequestCount = 4
    static let writeRequestLength = 16_384

    package let descriptor: Int32
    package let path: String
    package var hasUnreportedReadiness: Bool { true }
    let endpoints: USBEndpoints
    let kernel: any USBKernel
    let state: Mutex<State>

    private init(descriptor: Int32, endpoints: USBEndpoints, kernel: any USBKernel) {
        self.descriptor = descriptor
        self.endpoints = endpoints
        self.kernel = kernel
        path = endpoints.path
        state = Mutex(
            State(
                input: USBTransfers(
                    endpoint: endpoints.input, count: USBPort.readRequestCount, capacity: endpoints.inputPacketLength),
                output: USBTransfers(
                    endpoint: endpoints.output, count: USBPort.writeRequestCount, capacity: USBPort.writeRequestLength))
        )
    }

    package static func open(_ endpoints: USBEndpoints, kernel: any USBKernel) throws(DeviceError) -> USBPort {
        do throws(NodeFailure) { return try attempt(endpoints, kernel: kernel) } catch { throw error.deviceError }
    }

    static func attempt(_ endpoints: USBEndpoints, kernel: any USBKernel) throws(NodeFailure) -> USBPort {
        guard endpoints.input & 0x80 != 0, endpoints.output & 0x80 == 0, (1...1024).contains(endpoints.packetLength),
            (1...1024).contains(endpoints.inputPacketLength)
        else {
            throw NodeFailure(
                .invalidConfiguration,
                "The endpoints of \(endpoints.path) are invalid: one must be for input and one for output, with "
                    + "packets of 1 to 1024 bytes.")
        }
        let descriptor = kernel.open(endpoints.path)
        guard descriptor >= 0 else { throw NodeFailure(opening: endpoints.path, errno: -descriptor) }
        let port = USBPort(descriptor: descriptor, endpoints: endpoints, kernel: kernel)
        do throws(NodeFailure) {
            try port.claim()
        } catch {
            kernel.close(descriptor)
            throw error
        }
        return port
    }

    private func claim() throws(NodeFailure) {
        var interface = UInt32(endpoints.interface)
        let result = kernel.ioctl(descriptor, USBRequest.claim, &interface)
        guard result >= 0 else {
            if result == -EBUSY, let driver { throw busy(driver) }
            throw NodeFailure(opening: path, call: "USBDEVFS_CLAIMINTERFACE", errno: -result)
        }
        let selected = select(alternate: endpoints.alternate)
        guard selected >= 0 else {
            _ = kernel.ioctl(descriptor, USBRequest.release, &interface)
            throw NodeFailure(opening: path, call: "USBDEVFS_SETINTERFACE", errno: -selected)
        }
        let submitted = state.withLock { submitReads(&$0) }
        guard submitted >= 0 else {
            cancelRequests()
            _ = select(alternate: 0)
            _ = kernel.ioctl(descriptor, USBRequest.release, &interface)
            throw NodeFailure(opening: path, call: "USBDEVFS_SUBMITURB", errno: -submitted)
        }
    }

    private func select(alternate: UInt8) -> Int32 {
        var setting = (UInt32(endpoints.interface), UInt32(alternate))
        return kernel.ioctl(descriptor, USBRequest.setInterface, &setting)
    }

    /// The kernel driver that uses the interface, or `nil` if another program uses it.
    private var driver: String? {
        withUnsafeTemporaryAllocation(byteCount: 260, alignment: 4) { response in
            guard let start = response.baseAddress else { return nil }
            response.initializeMemory(as: UInt8.self, repeating: 0)
            response.storeBytes(of: UInt32(endpoints.interface), as: UInt32.self)
            guard kernel.ioctl(descriptor, USBRequest.getDriver, start) >= 0 else { return nil }
            let name = String(decoding: response[4...].prefix { $0 != 0 }, as: UTF8.self)
            return name.isEmpty || name == "usbfs" ? nil : name
        }
    }

    private func busy(_ driver: String) -> NodeFailure {
        let text =
            "Interface \(endpoints.interface) of \(path) is in use by the kernel driver \(driver). Unbind it first."
        return NodeFailure(
            .busy, text, cause: .system(call: "USBDEVFS_CLAIMINTERFACE", errno: EBUSY), isTemporary: true)
    }

    package var pendingBytes: Int { state.withLock { $0.pendingOutputBytes } }

    /// Always returns POLLOUT. usbdevice_fs reports this event when requests have completed, including read requests.
    package func interest(reads: Bool, writes: Bool) -> Int16 { Int16(POLLOUT) }

    package func collectCompletions() { state.withLock { reap(&$0) } }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> PortResult {
        state.withLock { state in
            while let block = state.input.oldestCompleted {
                let received = min(block.transferred, block.buffer.count)
                let count = min(received - state.input.consumedBytes, buffer.count)
                if count > 0 {
                    let part = block.buffer[state.input.consumedBytes..<state.input.consumedBytes + count]
                    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
                    state.input.consumedBytes += count
                }
                if state.input.consumedBytes >= received {
                    state.input.recycle()
                    let result = submitReads(&state)
                    if result < 0 { fail(&state, errno: -result, call: "USBDEVFS_SUBMITURB") }
                }
                if count > 0 { return .bytes(count) }
            }
            // Reports a failure only after returning all bytes that were received before it.
            return state.failure.map { .ended($0) } ?? .wouldBlock
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> PortResult {
        state.withLock { state in
            if let failure = state.failure { return .ended(failure) }
            guard let block = state.output.next, bytes.count > 0 else { return .wouldBlock }
            let count = min(bytes.count, block.buffer.count)
            block.buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            block.prepare(
                length: count,
                endsWithShortPacket: isLast && count == bytes.count && count.isMultiple(of: endpoints.packetLength))
            let result = kernel.ioctl(descriptor, USBRequest.submit, block.address)
            // The kernel has no memory for another request. The write is retried when a submitted request completes.
            if result == -ENOMEM || result == -EAGAIN, state.output.submittedCount > 0 { return .wouldBlock }
            guard result >= 0 else {
                fail(&state, errno: -result, call: "USBDEVFS_SUBMITURB")
                return .ended(state.failure ?? ByteChannelEnd(.hungUp))
            }
            state.output.markSubmitted()
            state.pendingOutputBytes += count
            return .bytes(count)
        }
    }

    /// Submits all idle read requests. A request is idle if all bytes that it received have been read.
    private func submitReads(_ state: inout State) -> Int32 {
        guard state.failure == nil else { return 0 }
        while let block = state.input.next {
            block.prepare(length: block.buffer.count, endsWithShortPacket: false)
            let result = kernel.ioctl(descriptor, USBRequest.submit, block.address)
            if result == -ENOMEM, state.input.usedCount > 0 { return 0 }
            if result < 0 { return result }
            state.input.markSubmitted()
        }
        return 0
    }

    private func reap(_ state: inout State) {
        // The loop is bounded, so that a faulty kernel driver cannot block the thread.
        for _ in 0..<(USBPort.readRequestCount + USBPort.writeRequestCount) {
            var address: UInt = 0
            let result = kernel.ioctl(descriptor, USBRequest.reap, &address)
            if result == -EAGAIN { return }
            guard result >= 0 else { return fail(&state, errno: -result, call: "USBDEVFS_REAPURBNDELAY") }
            if let block = state.output.markCompleted(address) {
                state.pendingOutputBytes -= min(max(0, block.transferred), state.pendingOutputBytes)
                if block.status != 0 { fail(&state, errno: -block.status, call: "bulk transfer") }
                while state.output.oldestCompleted != nil { state.output.recycle() }
            } else if let block = state.input.markCompleted(address) {
                if block.status != 0 { fail(&state, errno: -block.status, call: "bulk transfer") }
            }
        }
    }

    private func fail(_ state: inout State, errno number: Int32, call: String) {
        guard state.failure == nil else { return }
        switch number {
        case EPIPE:
            let error = DeviceError(
                .inputOutput, "The accessory at \(path) has stalled. Close the session and open it again.",
                cause: .system(call: call, errno: number))
            state.failure = ByteChannelEnd(.failed, error: error)
        case EPROTO, EILSEQ, ETIME:
            // Until the hub notices the removal, transfers of an unplugged device fail with one of these errors.
            state.failure = ByteChannelEnd(.hungUp)
        default: state.failure = ByteChannelEnd(errno: number, call: call, path: path)
        }
    }

    package func release(timeout: Double, isAborted: () -> Bool) {
        cancelRequests()
        _ = select(alternate: 0)
        var interface = UInt32(endpoints.interface)
        _ = kernel.ioctl(descriptor, USBRequest.release, &interface)
        kernel.close(descriptor)
    }

    /// Cancels all submitted requests and waits for the kernel to complete them, for at most 0.5 s.
    private func cancelRequests() {
        for block in state.withLock({ $0.input.submittedBlocks + $0.output.submittedBlocks }) {
            _ = kernel.ioctl(descriptor, USBRequest.discard, block.address)
        }
        // The request blocks can be freed afterwards, even if the kernel has not completed all of them. The kernel
        // writes to a block only when it is reaped, which is impossible after close(2).
        for _ in 0..<50 {
            let isDone = state.withLock { state in
                reap(&state)
                return state.input.submittedCount + state.output.submittedCount == 0 || state.failure?.reason == .hungUp
            }
            if isDone { break }
            WorkerThread.sleep(seconds: 0.01)
        }
    }
}
