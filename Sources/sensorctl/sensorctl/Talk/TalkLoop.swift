// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorTools
import Synchronization

/// Forwards bytes between the user and an accessory. To limit memory use, reads from one side only while the other can
/// accept bytes. `run` and `play` block their thread. Other threads wake it with `wake`.
final class TalkLoop: Sendable {
    enum Attempt {
        case connected(AccessoryDescription, protocolName: String, any ByteChannel)
        /// The accessory was disconnected and has not been reconnected yet.
        case absent
        case failed(TalkEnd)
    }

    struct PreviousConnection {
        var identity: String
        var protocolName: String
        var id: AccessoryDescription.ID
        var lostAt: BootTime?
    }

    /// The interval between searches for a missing accessory, in seconds.
    private static let retryInterval = 1.0

    private let source: any AccessorySource
    let plan: TalkOptions
    let clock: any DeviceClock
    let stop: StopRequest
    let wake: WakeupPipe

    init(_ source: any AccessorySource, plan: TalkOptions, clock: any DeviceClock, stop: StopRequest)
        throws(DeviceError)
    {
        (self.source, self.plan, self.clock, self.stop) = (source, plan, clock, stop)
        wake = try WakeupPipe(for: "the session with an accessory")
    }

    func run(input descriptor: Descriptor, show: (TalkEvent) -> Void) -> TalkEnd {
        stop.onRequest { [wake] in wake.signal() }
        let subscription = source.subscribe { [wake] _ in wake.signal() }
        defer { subscription.cancel() }
        var input = TalkInput(descriptor, plan: plan)
        var partner: PreviousConnection?
        var lastMessage: String?
        while stop.reason == nil {
            switch connect(partner) {
            case .connected(let accessory, let name, let channel):
                show(.opened(accessory, protocolName: name))
                let end = forwardBytes(channel, accessory, &input, show)
                guard case .disconnected(let label, let reason) = end else { return end }
                show(.ended(reason))
                guard plan.follows, !input.isExitRequested else {
                    // Reads the available input, because only reading detects the end of the input.
                    if input.wantsInput, wake.wait(for: descriptor.number, until: clock.now, clock: clock) {
                        input.read()
                    }
                    // If all input has been sent and the user has set no waiting time, the session is complete, so the
                    // disconnection is not an error.
                    let isDone = input.isAtEnd && input.pending.isEmpty && reason.unsentBytes == 0
                    return isDone && plan.wait == nil ? .finished : end
                }
                Log.warning("\(label): \(reason.displayText). Waiting for it to reconnect.")
                partner = PreviousConnection(
                    identity: accessory.identity, protocolName: name, id: accessory.id, lostAt: clock.now)
                lastMessage = nil
            case .absent: waitForChange()
            case .failed(let end):
                guard plan.follows, end.isTransient else { return end }
                if let message = end.message, message != lastMessage {
                    Log.warning("\(message) Waiting for the accessory.")
                    lastMessage = message
                }
                waitForChange()
            }
        }
        return .stopped
    }

    /// Waits until the accessories change or the retry interval has passed, because some problems are resolved without
    /// an event.
    private func waitForChange() {
        _ = wake.wait(for: nil, until: clock.now.advanced(bySeconds: Self.retryInterval), clock: clock)
    }

    func connect(_ partner: PreviousConnection?) -> Attempt {
        let accessories = source.accessories
        let accessory: AccessoryDescription
        let name: String
        if let partner {
            let same = accessories.last {
                $0.identity == partner.identity && $0.accessoryProtocol(named: partner.protocolName) != nil
            }
            guard let same else { return .absent }
            // Ignores the connection that just ended, because it may still be in the list.
            if same.id == partner.id, let lostAt = partner.lostAt, clock.now.seconds(since: lostAt) < Self.retryInterval
            {
                return .absent
            }
            (accessory, name) = (same, partner.protocolName)
        } else {
            switch AccessorySelector.accessory(plan.accessory, among: accessories) {
            case .success(let found): accessory = found
            case .failure(let failure): return .failed(.notSelected(failure))
            }
            switch AccessorySelector.protocolName(plan.protocolName, of: accessory) {
            case .success(let found): name = found
            case .failure(let failure): return .failed(.notSelected(failure))
            }
        }
        do throws(DeviceError) {
            return .connected(accessory, protocolName: name, try source.open(accessory.id, protocol: name))
        } catch { return .failed(.notOpened(error)) }
    }

    private func forwardBytes(
        _ channel: any ByteChannel, _ accessory: AccessoryDescription, _ input: inout TalkInput,
        _ show: (TalkEvent) -> Void
    ) -> TalkEnd {
        channel.observe { [wake] _ in wake.signal() }
        defer { channel.close() }
        var endDetector = ConversationEndDetector(initialSpace: channel.spaceAvailable, plan: plan, now: clock.now)
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while stop.reason == nil {
            var hasMore = false
            switch buffer.withUnsafeMutableBytes({ channel.read(into: $0) }) {
            case .bytes(let count):
                show(.received(Array(buffer[..<min(count, buffer.count)])))
                endDetector.recordReceived(at: clock.now)
                hasMore = true
            case .empty: break
            case .ended(let end): return .disconnected(accessory.label, end)
            }
            if !input.pending.isEmpty, case .accepted(let count) = input.pending.withUnsafeBytes({ channel.write($0) }),
                count > 0
            {
                show(.sent(Array(input.pending.prefix(count))))
                input.drop(count)
            }
            if input.isExitRequested, input.pending.isEmpty { return .finished }
            var deadline = BootTime.never
            if input.isAtEnd, input.pending.isEmpty {
                switch endDetector.evaluate(space: channel.spaceAvailable, now: clock.now) {
                case .wait(let until): deadline = until
                case .done: if !hasMore { return .finished }
                case .stalled(let bytes): return .stalled(bytes: bytes)
                }
            }
            let isReadable = wake.wait(
                for: input.wantsInput ? input.descriptor.number : nil, until: hasMore ? clock.now : deadline,
                clock: clock)
            if isReadable { input.read() }
        }
        return .stopped
    }
}
