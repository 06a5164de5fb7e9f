// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Logging
import Synchronization

/// Hands out channels, one at a time for a node of an accessory.
final class ChannelDesk: Sendable {
    private struct Key: Hashable {
        var accessory: AccessoryDescription.ID
        var node: String
    }

    private struct Entry {
        var number: Int
        var name: String
        /// False while the node is being opened.
        var isOpen = false
        weak var channel: (any ByteChannel)?
        var end: (@Sendable (ByteChannelEnd, @escaping @Sendable () -> Void) -> Void)?
        var giveUp: (@Sendable () -> Void)?
        /// Those who wait until the node is free.
        var waiting: [Bell] = []

        /// True when its user is done with it, and only sending what was written may go on.
        var isOver: Bool {
            guard isOpen else { return false }
            guard let channel else { return true }
            return channel.end != nil
        }
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var last = 0
    }

    /// How long a closed channel may go on sending when its node is wanted again, in seconds: whoever wants it may be an
    /// app's main thread. While nobody wants it the channel has two seconds.
    private static let patience = 0.1
    /// How long the system may take after that to give the node back. It does so at once, but for devices that hang.
    private static let releaseTime = 0.9
    /// A channel that is ended from outside ends at once, but on a thread of its own, which an app may hold up.
    private static let briefly = 1.0

    private let state = Mutex(State())
    private let log = Logger(label: "device-services.accessory")

    /// Opens a node for a protocol. A channel of this process that was closed and is still sending is waited for, for a
    /// moment; what it has not sent by then is given up.
    func open(
        _ protocolName: String, of accessory: AccessoryDescription.ID, node: ChannelNode,
        with opener: (ChannelNode) throws(DeviceError) -> OpenedChannel
    ) throws(DeviceError) -> any ByteChannel {
        let key = Key(accessory: accessory, node: node.path)
        let number = try take(key, protocolName)
        let opened: OpenedChannel
        do throws(DeviceError) {
            opened = try opener(node)
        } catch {
            release(key, number)
            throw error
        }
        state.withLock { state in
            guard state.entries[key]?.number == number else { return }
            state.entries[key]?.channel = opened.channel
            state.entries[key]?.end = opened.end
            state.entries[key]?.giveUp = opened.giveUp
            state.entries[key]?.isOpen = true
        }
        opened.whenReleased { [weak self] in self?.release(key, number) }
        return opened.channel
    }

    /// Ends the channels of an accessory that is gone; of some of its protocols, when they are named. Returns when they
    /// have ended: whoever is told of the detachment after that has found the end of its streams before. Sending and giving
    /// back the ports is not waited for.
    func endChannels(of accessory: AccessoryDescription.ID, protocols: Set<String>? = nil) {
        let ends = state.withLock { state in
            state.entries.compactMap { key, entry in
                key.accessory == accessory && protocols?.contains(entry.name) ?? true ? entry.end : nil
            }
        }
        let bells = ends.map { _ in Bell() }
        for (end, bell) in zip(ends, bells) { end(ByteChannelEnd(.detached)) { bell.ring() } }
        // That thread would wait for itself.
        if NodeChannel.isOnThreadOfChannels { return }
        let clock = LiveClock()
        let deadline = clock.now.advanced(bySeconds: Self.briefly)
        for bell in bells { bell.wait(until: deadline, clock: clock) }
    }

    private enum Turn {
        case taken(Int)
        case inUse(String)
        case wait(Bell, giveUp: (@Sendable () -> Void)?)
    }

    private func take(_ key: Key, _ name: String) throws(DeviceError) -> Int {
        let clock = LiveClock()
        var deadline = clock.now.advanced(bySeconds: Self.patience)
        var hasGivenUp = false
        while true {
            let turn = state.withLock { state -> Turn in
                guard let entry = state.entries[key] else {
                    state.last += 1
                    state.entries[key] = Entry(number: state.last, name: name)
                    return .taken(state.last)
                }
                guard entry.isOver else { return .inUse(entry.name) }
                let bell = Bell()
                state.entries[key]?.waiting.append(bell)
                return .wait(bell, giveUp: entry.giveUp)
            }
            switch turn {
            case .taken(let number): return number
            case .inUse(let other):
                throw DeviceError(
                    .busy,
                    "\(key.node) is in use by this program for the protocol \(other). Close that session first.")
            case .wait(let bell, let giveUp):
                if bell.wait(until: deadline, clock: clock) { continue }
                guard !hasGivenUp else {
                    throw DeviceError(
                        .busy,
                        "The system has not given \(key.node) back yet since this program closed it: the device takes nothing. Try again."
                    )
                }
                hasGivenUp = true
                deadline = clock.now.advanced(bySeconds: Self.releaseTime)
                log.notice(
                    "\(key.node) is opened again before the device has taken all that this program wrote before it closed it. The rest is given up."
                )
                giveUp?()
            }
        }
    }

    private func release(_ key: Key, _ number: Int) {
        let former = state.withLock { state -> Entry? in
            guard state.entries[key]?.number == number else { return nil }
            return state.entries.removeValue(forKey: key)
        }
        for bell in former?.waiting ?? [] { bell.ring() }
    }
}
