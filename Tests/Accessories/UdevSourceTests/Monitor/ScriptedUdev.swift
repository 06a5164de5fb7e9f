// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Foundation
import Logging

@testable import UdevMonitor

/// A substitute for libudev that provides the messages and devices of a test.
final class ScriptedUdev: @unchecked Sendable {
    struct State {
        var devices: [UdevRecord] = []
        var messages: [UdevMessage] = []
        /// The message returned when no message is queued although the descriptor is readable.
        var defaultMessage = UdevMessage.none
        var hasDescriptor = true
        var connectError: DeviceError?
        /// Called while a connection is opened.
        var whenConnecting: (@Sendable () -> Void)?
        var listError: DeviceError?
        var opened: [UdevGroup] = []
        var open = 0
        var receptions = 0
        var listings = 0
        var warnings: [String] = []
    }

    private let condition = NSCondition()
    private var current = State()
    /// The first descriptor is readable while messages are queued.
    private let ends: (Int32, Int32)

    init(_ devices: UdevRecord...) {
        var pair: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair)
        ends = (pair[0], pair[1])
        current.devices = devices
    }

    deinit {
        close(ends.0)
        close(ends.1)
    }

    /// Queues messages and makes the descriptor readable.
    func send(_ messages: UdevMessage...) {
        set { $0.messages += messages }
        var byte: UInt8 = 1
        write(ends.1, &byte, 1)
    }

    var state: State { condition.withLock { current } }

    /// Changes the scripted state.
    @discardableResult
    func set<Result>(_ change: (inout State) -> Result) -> Result {
        condition.withLock {
            defer { condition.broadcast() }
            return change(&current)
        }
    }

    /// Waits until the state satisfies the condition, for at most a minute.
    func waits(until isSatisfied: (State) -> Bool) -> Bool {
        let deadline = Date().addingTimeInterval(60)
        return condition.withLock {
            while !isSatisfied(current) {
                guard condition.wait(until: deadline) else { return isSatisfied(current) }
            }
            return true
        }
    }

    func dependencies(_ options: UdevMonitorOptions = UdevMonitorOptions()) -> MonitorDependencies {
        var dependencies = MonitorDependencies(clock: LiveClock(), options: options) {
            [self] group throws(DeviceError) in
            state.whenConnecting?()
            let error = set { state in
                state.opened.append(group)
                if state.connectError == nil { state.open += 1 }
                return state.connectError
            }
            if let error { throw error }
            return Connection(self)
        }
        dependencies.log = Logger(label: "udev") { [self] _ in WarningHandler(script: self) }
        return dependencies
    }

    private struct WarningHandler: LogHandler {
        let script: ScriptedUdev
        var logLevel = Logger.Level.warning
        var metadata = Logger.Metadata()

        init(script: ScriptedUdev) { self.script = script }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { script.set { $0.warnings.append("\(event.message)") } }
    }

    private final class Connection: UdevConnection {
        private let script: ScriptedUdev
        let descriptor: Int32?

        init(_ script: ScriptedUdev) {
            self.script = script
            descriptor = script.state.hasDescriptor ? script.ends.0 : nil
        }

        deinit {
            script.set { $0.open -= 1 }
        }

        var problem: DeviceError? {
            descriptor == nil ? DeviceError(.notSupported, "There are no messages here.") : nil
        }

        func receive() -> UdevMessage {
            script.set { state in
                state.receptions += 1
                if !state.messages.isEmpty { return state.messages.removeFirst() }
                if case .none = state.defaultMessage {
                    var byte: UInt8 = 0
                    while read(script.ends.0, &byte, 1) > 0 {}
                }
                return state.defaultMessage
            }
        }

        func devices() throws(DeviceError) -> [UdevRecord] {
            let state = script.set { state in
                state.listings += 1
                return state
            }
            if let error = state.listError { throw error }
            return state.devices
        }
    }
}
