// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Logging
import Synchronization

/// The registry of open channels, used from any thread. Each node of an accessory has at most one open channel.
final class ChannelRegistry: Sendable {
    private struct Key: Hashable {
        var accessory: AccessoryDescription.ID
        var node: String
    }

    private struct Entry {
        /// Distinguishes this entry from later ones with the same key, so that `release` does not remove a later entry.
        var number: Int
        var name: String
        var isOpen = false
        weak var channel: (any ByteChannel)?
        var end: (@Sendable (ByteChannelEnd, @escaping @Sendable () -> Void) -> Void)?
        var discardUnsentData: (@Sendable () -> Void)?
        var waiting: [BinarySemaphore] = []

        /// True if the channel has ended or been released. The port may still be sending data.
        var hasEnded: Bool {
            guard isOpen else { return false }
            guard let channel else { return true }
            return channel.end != nil
        }
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var lastNumber = 0
    }

    /// The maximum time that `open` waits for a closed channel on the same node to finish sending, in seconds. The time
    /// is short, because apps may open nodes on the main thread.
    private static let sendTimeout = 0.1
    /// The maximum time that `open` waits for the system to release the node after unsent data has been discarded, in
    /// seconds. Matters only if a device hangs.
    private static let releaseTimeout = 0.9
    /// The maximum time to wait for channels to end, in seconds. Channels end immediately unless the app blocks the
    /// reactor thread.
    private static let endTimeout = 1.0

    private let state = Mutex(State())
    private let log = Logger(label: "device-services.accessory")

    /// Opens a node for a protocol. If a closed channel on the same node is still sending, waits briefly and then
    /// discards the unsent data.
    func open(
        _ protocolName: String, of accessory: AccessoryDescription.ID, node: ChannelNode,
        with opener: (ChannelNode) throws(DeviceError) -> OpenedChannel
    ) throws(DeviceError) -> any ByteChannel {
        let key = Key(accessory: accessory, node: node.path)
        let number = try reserve(key, protocolName)
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
            state.entries[key]?.discardUnsentData = opened.discardUnsentData
            state.entries[key]?.isOpen = true
        }
        opened.whenReleased { [weak self] in self?.release(key, number) }
        return opened.channel
    }

    /// Ends all channels of a detached accessory, or only those of the given protocols. Waits for the channels to end,
    /// for at most 1 s, because streams must end before the app is notified that the accessory was detached. Does not
    /// wait for data to be sent or for ports to be released.
    func endChannels(of accessory: AccessoryDescription.ID, protocols: Set<String>? = nil) {
        let ends = state.withLock { state in
            state.entries.compactMap { key, entry in
                key.accessory == accessory && protocols?.contains(entry.name) ?? true ? entry.end : nil
            }
        }
        let semaphores = ends.map { _ in BinarySemaphore() }
        for (end, semaphore) in zip(ends, semaphores) { end(ByteChannelEnd(.detached)) { semaphore.signal() } }
        // Waiting on the reactor thread would cause a deadlock.
        if NodeChannel.isOnReactorThread { return }
        let clock = LiveClock()
        let deadline = clock.now.advanced(bySeconds: Self.endTimeout)
        for semaphore in semaphores { semaphore.wait(until: deadline, clock: clock) }
    }

    private enum Reservation {
        case reserved(Int)
        case inUse(String)
        case wait(BinarySemaphore, discardUnsentData: (@Sendable () -> Void)?)
    }

    private func reserve(_ key: Key, _ name: String) throws(DeviceError) -> Int {
        let clock = LiveClock()
        var deadline = clock.now.advanced(bySeconds: Self.sendTimeout)
        var hasDiscarded = false
        while true {
            let reservation = state.withLock { state -> Reservation in
                guard let entry = state.entries[key] else {
                    state.lastNumber += 1
                    state.entries[key] = Entry(number: state.lastNumber, name: name)
                    return .reserved(state.lastNumber)
                }
                guard entry.hasEnded else { return .inUse(entry.name) }
                let semaphore = BinarySemaphore()
                state.entries[key]?.waiting.append(semaphore)
                return .wait(semaphore, discardUnsentData: entry.discardUnsentData)
            }
            switch reservation {
            case .reserved(let number): return number
            case .inUse(let other):
                throw DeviceError(
                    .busy, "\(key.node) is in use by this program for the protocol \(other). Close that session first.")
            case .wait(let semaphore, let discardUnsentData):
                if semaphore.wait(until: deadline, clock: clock) { continue }
                guard !hasDiscarded else {
                    throw DeviceError(
                        .busy,
                        "\(key.node) is still being closed, because the device does not read the data of the previous session. Try again."
                    )
                }
                hasDiscarded = true
                deadline = clock.now.advanced(bySeconds: Self.releaseTimeout)
                log.notice(
                    "The device at \(key.node) has not read all data of the previous session. The remaining data is discarded."
                )
                discardUnsentData?()
            }
        }
    }

    private func release(_ key: Key, _ number: Int) {
        let former = state.withLock { state -> Entry? in
            guard state.entries[key]?.number == number else { return nil }
            return state.entries.removeValue(forKey: key)
        }
        for semaphore in former?.waiting ?? [] { semaphore.signal() }
    }
}
