// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Logging
import Synchronization

// Sessions that go on when their accessory is connected again.
extension AccessoryClient {
    struct Follower {
        weak var channel: FollowingChannel?
        weak var core: SessionCore?
    }

    func follow(
        _ accessory: EAAccessory, protocol name: String, changed: @escaping @Sendable (EASession.Connection) -> Void
    ) throws(DeviceError) -> SessionCore {
        guard let device else { throw EASession.notConnected(accessory) }
        let core = try open(accessory, protocol: name) { first in
            let channel = FollowingChannel(
                first, identity: accessory.identity, name: name,
                changed: { [weak self] news in self?.onMainThread { changed(news) } },
                closed: { [weak self] id in self?.state.withLock { $0.followers[id] = nil } })
            let core = SessionCore(channel: channel, device: device, accessory: accessory, name: name)
            state.withLock { $0.followers[ObjectIdentifier(channel)] = Follower(channel: channel, core: core) }
            return core
        }
        core.begin()
        // It may have been unplugged and plugged in again meanwhile.
        for accessory in accessories { resumeFollowers(with: accessory) }
        return core
    }

    /// An accessory is connected: sessions that wait for it go on, away from the source's thread.
    func wakeFollowers(with accessory: EAAccessory) {
        let isWanted = state.withLock { !$0.followers.isEmpty }
        guard isWanted else { return }
        if isPlayedBack {
            resumeFollowers(with: accessory)
        } else {
            reopening.async { [weak self] in self?.resumeFollowers(with: accessory) }
        }
    }

    private func resumeFollowers(with accessory: EAAccessory) {
        let offered = accessory.protocolStrings
        for follower in state.withLock({ Array($0.followers.values) }) {
            guard let channel = follower.channel, let core = follower.core, channel.isPaused,
                channel.identity == accessory.identity, offered.contains(channel.name)
            else { continue }
            let name = channel.name
            do throws(DeviceError) {
                var isResumed = false
                _ = try open(accessory, protocol: name, takesOver: false) { next in
                    core.setAccessory(accessory)
                    isResumed = channel.adopt(next)
                    return core
                }
                if isResumed { channel.tell(.resumed(accessory)) }
            } catch {
                AccessoryClient.log.error("The session with \"\(accessory.name)\" for \(name) does not go on: \(error)")
                channel.tell(.failed(error))
            }
        }
    }
}
