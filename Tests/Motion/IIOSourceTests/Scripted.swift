// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Foundation
import IIOFormat
import Synchronization
import SystemCalls

@testable import IIOSource

/// A library without hardware whose contents and failures are set by the test.
final class ScriptedLibrary: IIOLibrary {
    struct Script {
        var context = IIOContext()
        var openFailure: Int32?
        var presence: [String]?
        var clocks: [String: Int64] = [:]
        /// The values of attributes by their location.
        var values: [IIOAttributePath: String] = [:]
        var readFailures: [IIOAttributePath: Int32] = [:]
        /// Semaphores on which reads of these attributes block.
        var readGates: [IIOAttributePath: DispatchSemaphore] = [:]
        var writeFailures: [IIOAttributePath: Int32] = [:]
        var trigger: IIOTriggerState? = .some(.none)
        var setTrigger: Int?
        var parents: [Int: String] = [:]
        var udev: [String: String] = [:]
        var lockFailure: Int32?
        var bufferFailures: [Int32] = []
        var needsTrigger = false
        var canCreateTimer = false
        var step: Int?
        /// The first refill of each buffer; nil for none.
        var firstRefill: [UInt8]?
        var isPresent = true
        var isNodeAccessible = true
        /// True for buffers with a file descriptor that can be polled.
        var isPollable = false
        /// True for buffers whose start blocks until they are cancelled.
        var neverStarts = false
        /// Creates buffers of another type.
        var makeBuffer: (@Sendable (IIODevice, [Int]) throws -> any IIOBuffer)?
        /// A semaphore on which the opening of a context blocks.
        var gate: DispatchSemaphore?
        var buffers: [ScriptedBuffer] = []
        var live = 0
        /// The number of requests for the list of devices: one or two per pass of the context's thread.
        var presenceChecks = 0
    }

    let script: Mutex<Script>
    let journal = Journal()

    init(_ context: IIOContext) {
        var script = Script()
        script.context = context
        self.script = Mutex(script)
    }

    /// The number of open contexts. Releases the buffers that the test retains.
    var connections: Int {
        let buffers = script.withLock { script in
            defer { script.buffers = [] }
            return script.buffers
        }
        // Released outside the lock, because buffers retain their contexts.
        withExtendedLifetime(buffers) {}
        return script.withLock { $0.live }
    }

    var lastBuffer: ScriptedBuffer? { script.withLock { $0.buffers.last } }

    /// Unblocks all current and future reads of these attributes.
    func open(_ gates: [IIOAttributePath: DispatchSemaphore]) {
        script.withLock { script in script.readGates = script.readGates.filter { gates[$0.key] == nil } }
        for gate in gates.values { for _ in 0..<32 { gate.signal() } }
    }

    /// Returns true once the context's thread has completed another pass.
    func completesPass(by source: IIOSource) -> Bool {
        let start = script.withLock { $0.presenceChecks }
        return journal.waits {
            source.devicesChanged()
        } until: { _ in
            script.withLock { $0.presenceChecks } >= start + 5
        }
    }

    /// True once all buffers, locks and contexts have been closed.
    var isIdle: Bool {
        journal.waits { lines in
            func count(_ prefix: String) -> Int { lines.count { $0.hasPrefix(prefix) } }
            return count("buffer") - count("buffer failed") == count("close") && count("lock") == count("release lock")
                && connections == 0
        }
    }

    func open(_ address: MotionSourceAddress) throws(IIOFailure) -> any IIOConnection {
        let (failure, gate) = script.withLock { ($0.openFailure, $0.gate) }
        if let gate {
            journal.record("gate")
            gate.wait()
        }
        if let failure {
            journal.record("open failed")
            throw IIOFailure("open", failure)
        }
        journal.record("open")
        return ScriptedConnection(self)
    }

    func devices(at address: MotionSourceAddress) -> [String]? {
        script.withLock { script in
            script.presenceChecks += 1
            return script.presence
        }
    }

    func time(of clock: String) -> Int64? { script.withLock { $0.clocks[clock] } }
}

final class ScriptedConnection: IIOConnection {
    let library: ScriptedLibrary
    let context: IIOContext

    init(_ library: ScriptedLibrary) {
        self.library = library
        context = library.script.withLock { script in
            script.live += 1
            return script.context
        }
    }

    deinit {
        library.script.withLock { $0.live -= 1 }
        library.journal.record("disconnect")
    }

    private var journal: Journal { library.journal }

    func read(_ attributePath: IIOAttributePath) throws(IIOFailure) -> String {
        if let gate = library.script.withLock({ $0.readGates[attributePath] }) {
            journal.record("read gate")
            gate.wait()
        }
        let (value, failure) = library.script.withLock { ($0.values[attributePath], $0.readFailures[attributePath]) }
        if let failure { throw IIOFailure("read", failure) }
        guard let value else { throw IIOFailure("read", 2) }
        return value
    }

    func write(_ value: String, to attributePath: IIOAttributePath) throws(IIOFailure) {
        let failure = library.script.withLock { script -> Int32? in
            if let failure = script.writeFailures[attributePath] { return failure }
            script.values[attributePath] = value
            return nil
        }
        journal.record("write \(attributePath.name) \(value)\(failure == nil ? "" : " failed")")
        if let failure { throw IIOFailure("write", failure) }
    }

    func isNodeAccessible(_ device: Int) -> Bool { library.script.withLock { $0.isNodeAccessible } }

    func isWritable(_ attributePath: IIOAttributePath) -> Bool {
        library.script.withLock { $0.writeFailures[attributePath] != 13 }
    }

    func trigger(of device: Int) throws(IIOFailure) -> IIOTriggerState {
        let state = library.script.withLock { script in script.setTrigger.map { .set($0) } ?? script.trigger }
        guard let state else { throw IIOFailure("get trigger", 2) }
        return state
    }

    func setTrigger(_ trigger: Int, of device: Int) throws(IIOFailure) {
        journal.record("trigger \(context.devices[trigger].name)")
        library.script.withLock { $0.setTrigger = trigger }
    }

    func parent(of device: Int) -> String? { library.script.withLock { $0.parents[device] } }

    func timerTrigger(for device: Int, rate: Double) throws(IIOFailure) -> any IIOLease {
        guard library.script.withLock({ $0.canCreateTimer }) else { throw IIOFailure("mkdir", 13) }
        journal.record("timer \(Int(rate))")
        library.script.withLock { $0.needsTrigger = false }
        return ScriptedLease("timer", journal)
    }

    func udevProperty(_ name: String, of device: Int) -> String? { library.script.withLock { $0.udev[name] } }

    func isPresent(_ device: Int) -> Bool { library.script.withLock { $0.isPresent } }

    func lock(_ device: Int) throws(IIOFailure) -> (any IIOLease)? {
        if let failure = library.script.withLock({ $0.lockFailure }) { throw IIOFailure("flock", failure) }
        journal.record("lock")
        return ScriptedLease("lock", journal)
    }

    func openBuffer(
        device: Int, channels: [Int], samples: Int, kernelBuffers: Int, timeout: Double
    ) throws(IIOFailure) -> any IIOBuffer {
        let names = channels.map { context.devices[device].channels[$0].id }.joined(separator: ",")
        let failure = library.script.withLock { script -> Int32? in
            if script.needsTrigger { return 22 }
            return script.bufferFailures.isEmpty ? nil : script.bufferFailures.removeFirst()
        }
        if let failure {
            journal.record("buffer failed \(failure)")
            throw IIOFailure("iio_device_create_buffer", failure)
        }
        if let make = library.script.withLock({ $0.makeBuffer }) {
            guard let buffer = try? make(context.devices[device], channels) else { throw IIOFailure("make", 24) }
            journal.record("buffer \(names) x\(samples)")
            return buffer
        }
        let layout = context.devices[device].layout(of: channels)
        let buffer = library.script.withLock { script in
            let buffer = ScriptedBuffer(
                step: script.step ?? layout?.sampleSize ?? 0, journal: library.journal, keeping: self,
                isPollable: script.isPollable, neverStarts: script.neverStarts)
            if let bytes = script.firstRefill { buffer.push(bytes) }
            script.buffers.append(buffer)
            return buffer
        }
        journal.record("buffer \(names) x\(samples)")
        return buffer
    }

    func openPoll(device: Int, channels: [(channel: Int, attribute: String)]) throws(IIOFailure) -> any IIOPoll {
        journal.record(
            "poll \(channels.map { context.devices[device].channels[$0.channel].id }.joined(separator: ","))")
        return ScriptedPoll(self, channels.map { .channel(device, $0.channel, $0.attribute) })
    }
}

final class ScriptedLease: IIOLease {
    private let name: String
    private let journal: Journal
    private let isHeld = Atomic<Bool>(true)

    init(_ name: String, _ journal: Journal) {
        self.name = name
        self.journal = journal
    }

    deinit {
        release()
    }

    func release() {
        if isHeld.exchange(false, ordering: .acquiringAndReleasing) { journal.record("release \(name)") }
    }
}

final class ScriptedPoll: IIOPoll {
    private let connection: ScriptedConnection
    private let attributes: [IIOAttributePath]

    init(_ connection: ScriptedConnection, _ attributes: [IIOAttributePath]) {
        self.connection = connection
        self.attributes = attributes
    }

    func read(_ index: Int) throws(IIOFailure) -> Double {
        IIONumber.double(try connection.read(attributes[index])) ?? .nan
    }
}

/// A buffer that returns the refills that the test pushes.
final class ScriptedBuffer: IIOBuffer, @unchecked Sendable {
    let scanSize: Int
    private let condition = NSCondition()
    private var queue: [[UInt8]] = []
    private var failure: Int?
    private var isCancelled = false
    private var isClosed = false
    private var current: UnsafeMutableRawBufferPointer?
    private let journal: Journal
    private let connection: ScriptedConnection?
    /// Readable while refills or a failure may be pending.
    private let ready: WakeupPipe?
    let pollHandle: (descriptor: Int32, wakeUp: WakeupPipe)?
    let kernelBuffers = 4
    private let neverStarts: Bool

    init(
        step: Int, journal: Journal, keeping connection: ScriptedConnection?, isPollable: Bool,
        neverStarts: Bool = false
    ) {
        self.scanSize = step
        self.neverStarts = neverStarts
        if isPollable, let ready = try? WakeupPipe(for: "the test"), let wakeUp = try? WakeupPipe(for: "the test") {
            self.ready = ready
            pollHandle = (ready.readEnd, wakeUp)
        } else {
            (ready, pollHandle) = (nil, nil)
        }
        self.journal = journal
        self.connection = connection
    }

    deinit {
        current?.deallocate()
    }

    func start() throws(IIOFailure) {
        guard neverStarts else { return }
        journal.record("start")
        condition.lock()
        defer { condition.unlock() }
        while !isCancelled { condition.wait() }
        throw IIOFailure("poll", EBADF)
    }

    func push(_ bytes: [UInt8]) {
        condition.withLock {
            queue.append(bytes)
            ready?.signal()
            condition.broadcast()
        }
    }

    func fail(_ number: Int) {
        condition.withLock {
            failure = -number
            ready?.signal()
            condition.broadcast()
        }
    }

    func refill(_ bytes: inout UnsafeRawBufferPointer, reads: inout Int) -> Int {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if isCancelled { return -9 }
            if let failure { return failure }
            if !queue.isEmpty { break }
            if let ready {
                ready.drain()
                return -Int(EAGAIN)
            }
            condition.wait()
        }
        if pollHandle != nil {
            guard reads > 0 else { return -Int(EAGAIN) }
            reads -= 1
        }
        let next = queue.removeFirst()
        current?.deallocate()
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, next.count), alignment: 16)
        copy.copyBytes(from: next)
        current = copy
        bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(copy)[..<next.count])
        return next.count
    }

    func cancel() {
        journal.record("cancel")
        condition.withLock {
            isCancelled = true
            condition.broadcast()
        }
        pollHandle?.wakeUp.signal()
    }

    func close() {
        let isFirst = condition.withLock {
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { journal.record("close") }
    }
}
