// SPDX-License-Identifier: Apache-2.0

import Testing
import DeviceCore
import SimulatedDevice
import Synchronization
import Trace

/// A program that uses the accessories of a simulated device and records events with their times.
final class AccessoryProgram: Sendable {
    private struct State {
        var log: [String] = []
        var channels: [String: any ByteChannel] = [:]
        var answers: [String: @Sendable (String) -> String?] = [:]
        var subscription: Subscription?
    }

    let device: Device
    private let delivery: any CallbackExecutor
    private let state = Mutex(State())

    /// - Parameter opening: Protocols to open as soon as an accessory offers them.
    /// - Parameter device: The device to use, nil for the simulated device itself.
    init(_ simulated: SimulatedDevice, opening: [String] = [], device: Device? = nil) {
        let device = device ?? simulated.device
        self.device = device
        delivery = device.playback?.executor(onMainThread: false) ?? NoDelivery()
        let subscription = device.accessorySource.subscribe { [weak self] event in
            guard let self else { return }
            delivery.schedule { [weak self] in self?.process(event, opening) }
        }
        state.withLock { $0.subscription = subscription }
    }

    var log: [String] { state.withLock { $0.log } }

    func record(_ text: String) {
        let seconds = device.clock.now.seconds
        state.withLock { $0.log.append("\(seconds) \(text)") }
    }

    /// Answers input on a protocol as soon as it arrives.
    func answer(_ name: String, _ answer: @escaping @Sendable (String) -> String?) {
        state.withLock { $0.answers[name] = answer }
    }

    func open(_ accessory: AccessoryDescription.ID, _ name: String) {
        do throws(DeviceError) {
            let channel = try device.accessorySource.open(accessory, protocol: name)
            state.withLock { $0.channels[name] = channel }
            channel.observe { [weak self] event in
                guard let self else { return }
                delivery.schedule { [weak self] in self?.process(event, name) }
            }
            delivery.schedule { [weak self] in self?.read(name) }
        } catch {
            record("\(name) \(error.code)")
        }
    }

    func write(_ text: String, _ name: String) {
        guard let channel = channel(name) else { return }
        if case .ended(let end) = [UInt8](text.utf8).withUnsafeBytes({ channel.write($0) }) {
            record("\(name) cannot write: \(end.reason)")
        }
    }

    func close(_ name: String) {
        channel(name)?.close()
        state.withLock { $0.channels[name] = nil }
    }

    func channel(_ name: String) -> (any ByteChannel)? { state.withLock { $0.channels[name] } }

    func read(_ name: String) {
        guard let channel = channel(name) else { return }
        while true {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ channel.read(into: $0) }) else { return }
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            record("\(name) < \(text)")
            if let answer = state.withLock({ $0.answers[name] })?(text) { write(answer, name) }
        }
    }

    private func process(_ event: AccessoryEvent, _ opening: [String]) {
        switch event {
        case .snapshot(let accessories):
            for accessory in accessories { attached(accessory, opening) }
        case .attached(let accessory): attached(accessory, opening)
        case .changed(let accessory): record("changed \(accessory.id) \(accessory.name)")
        case .detached(let accessory): record("detached \(accessory.id) \(accessory.name)")
        }
    }

    private func attached(_ accessory: AccessoryDescription, _ opening: [String]) {
        record("attached \(accessory.id) \(accessory.name)")
        for name in opening where accessory.accessoryProtocol(named: name) != nil { open(accessory.id, name) }
    }

    private func process(_ event: ByteChannelEvent, _ name: String) {
        switch event {
        case .readable: read(name)
        case .writable: record("\(name) writable")
        case .ended:
            read(name)
            guard let end = channel(name)?.end else { return }
            record("\(name) ended: \(end.reason)" + (end.unsentBytes > 0 ? ", \(end.unsentBytes) unsent" : ""))
        }
    }
}

private final class NoDelivery: CallbackExecutor {
    func schedule(_ work: @escaping @Sendable () -> Void) { work() }
}

/// A trace with one accessory, "1", which is attached at 1 s. The device's clock starts at 0.
func accessoryTrace(_ lines: [String], protocols: [String] = ["com.a", "com.b"]) throws -> TraceFile {
    let list = protocols.map { "\"\($0)\"" }.joined(separator: ",")
    let attach = "{\"t\":1,\"attach\":{\"id\":\"1\",\"name\":\"Scale\",\"protocols\":[\(list)]}}"
    let header = #"{"format":"device-services-trace","version":1}"#
    return try TraceFile(bytes: Array(([header, attach] + lines).joined(separator: "\n").utf8) + [10], name: "scale")
}

/// A trace line about accessory "1" and protocol "com.a".
func entry(_ time: Double, _ key: String, _ text: String) -> String {
    "{\"t\":\(time),\"\(key)\":\"\(text)\",\"accessory\":\"1\",\"protocol\":\"com.a\"}"
}

func opened(_ time: Double) -> String { "{\"t\":\(time),\"open\":\"com.a\",\"accessory\":\"1\"}" }

func closed(_ time: Double, _ end: String? = nil) -> String {
    "{\"t\":\(time),\"close\":\"com.a\",\"accessory\":\"1\"" + (end.map { ",\"end\":\"\($0)\"" } ?? "") + "}"
}

/// Calls the synchronous `play()`. In an async test the compiler would choose the asynchronous overload.
func playNow(_ device: SimulatedDevice) {
    do { try device.play() } catch { Issue.record(error) }
}
