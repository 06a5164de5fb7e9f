// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorTools
import Synchronization

/// Hands bytes to and fro between the user and an accessory, on the thread that calls `run`.
///
/// What is read from one side waits until the other side has taken it, so that memory stays bounded however fast either
/// of them is.
final class TalkLoop: Sendable {
    enum Attempt {
        case connected(AccessoryDescription, protocolName: String, any ByteChannel)
        /// The accessory that was talked to before is not back.
        case absent
        case refused(TalkEnd)
    }

    /// What was talked to before.
    struct Partner {
        var identity: String
        var protocolName: String
        var id: AccessoryDescription.ID
        var lostAt: BootTime?
    }

    /// Seconds from one look for an accessory that is waited for to the next.
    private static let patience = 1.0

    private let source: any AccessorySource
    let plan: TalkPlan
    let clock: any DeviceClock
    let stop: Stop
    let wake: WakeUp

    /// The error says that the system has no descriptor left.
    init(_ source: any AccessorySource, plan: TalkPlan, clock: any DeviceClock, stop: Stop) throws(DeviceError) {
        self.source = source
        self.plan = plan
        self.clock = clock
        self.stop = stop
        wake = try WakeUp(for: "talking to an accessory")
    }

    /// Talks until all is said, and returns how it ended.
    func run(input descriptor: Descriptor, show: (TalkEvent) -> Void) -> TalkEnd {
        stop.whenRequested { [wake] in wake.signal() }
        let subscription = source.subscribe { [wake] _ in wake.signal() }
        defer { subscription.cancel() }
        var input = TalkInput(descriptor, plan: plan)
        var partner: Partner?
        var lastMessage: String?
        while stop.reason == nil {
            switch connect(partner) {
            case .connected(let accessory, let name, let channel):
                show(.opened(accessory, protocolName: name))
                let end = converse(channel, accessory, &input, show)
                guard case .gone(let label, let reason) = end else { return end }
                show(.ended(reason))
                guard plan.follows, !input.wantsToLeave else {
                    // The end of the input may wait to be read.
                    if input.isWanted, wake.wait(for: descriptor.number, until: clock.now, clock: clock) {
                        input.read()
                    }
                    // Where nothing more was to be said, its leaving is as good as its silence.
                    let isDone = input.isAtEnd && input.pending.isEmpty && reason.unsentBytes == 0
                    return isDone && plan.wait == nil ? .finished : end
                }
                Notes.warn("\(label): \(reason.words). Waiting for it to come back.")
                partner = Partner(identity: accessory.identity, protocolName: name, id: accessory.id, lostAt: clock.now)
                lastMessage = nil
            case .absent: pause()
            case .refused(let end):
                guard plan.follows, end.mayPass else { return end }
                if let message = end.message, message != lastMessage {
                    Notes.warn("\(message) Waiting for it.")
                    lastMessage = message
                }
                pause()
            }
        }
        return .stopped
    }

    /// Waits until something was attached or detached; a little while at most, for not every obstacle tells when it goes.
    private func pause() { _ = wake.wait(for: nil, until: clock.now.advanced(bySeconds: Self.patience), clock: clock) }

    /// Opens the accessory that was talked to before, else the one that the user means.
    func connect(_ partner: Partner?) -> Attempt {
        let accessories = source.accessories
        let accessory: AccessoryDescription
        let name: String
        if let partner {
            let same = accessories.last { $0.identity == partner.identity && $0.named(partner.protocolName) != nil }
            guard let same else { return .absent }
            // The attachment that was lost may be on the list for a moment longer.
            if same.id == partner.id, let lostAt = partner.lostAt, clock.now.seconds(since: lostAt) < Self.patience {
                return .absent
            }
            (accessory, name) = (same, partner.protocolName)
        } else {
            switch AccessoryChoice.accessory(plan.accessory, among: accessories) {
            case .success(let found): accessory = found
            case .failure(let failure): return .refused(.notChosen(failure))
            }
            switch AccessoryChoice.protocolName(plan.protocolName, of: accessory) {
            case .success(let found): name = found
            case .failure(let failure): return .refused(.notChosen(failure))
            }
        }
        do throws(DeviceError) {
            return .connected(accessory, protocolName: name, try source.open(accessory.id, protocol: name))
        } catch {
            return .refused(.notOpened(error))
        }
    }

    /// Talks through the channel until it, the input or the user's patience ends.
    private func converse(
        _ channel: any ByteChannel, _ accessory: AccessoryDescription, _ input: inout TalkInput,
        _ show: (TalkEvent) -> Void
    ) -> TalkEnd {
        channel.observe { [wake] _ in wake.signal() }
        defer { channel.close() }
        var rest = TalkRest(room: channel.spaceAvailable, plan: plan, now: clock.now)
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while stop.reason == nil {
            var hasMore = false
            switch buffer.withUnsafeMutableBytes({ channel.read(into: $0) }) {
            case .bytes(let count):
                show(.received(Array(buffer[..<min(count, buffer.count)])))
                rest.heard(at: clock.now)
                hasMore = true
            case .empty: break
            case .ended(let end): return .gone(accessory.label, end)
            }
            if !input.pending.isEmpty, case .taken(let count) = input.pending.withUnsafeBytes({ channel.write($0) }),
                count > 0
            {
                show(.sent(Array(input.pending.prefix(count))))
                input.drop(count)
            }
            if input.wantsToLeave, input.pending.isEmpty { return .finished }
            var deadline = BootTime.never
            if input.isAtEnd, input.pending.isEmpty {
                switch rest.look(space: channel.spaceAvailable, now: clock.now) {
                case .wait(let until): deadline = until
                case .done: if !hasMore { return .finished }
                case .stalled(let bytes): return .stalled(bytes: bytes)
                }
            }
            let isReadable = wake.wait(
                for: input.isWanted ? input.descriptor.number : nil, until: hasMore ? clock.now : deadline,
                clock: clock)
            if isReadable { input.read() }
        }
        return .stopped
    }
}
