// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

extension SimulatedDevice {
    /// Attaches an accessory that code speaks for; returns its number.
    ///
    /// Its peers speak in timers of the device's clock, so they answer while the device plays or time advances:
    /// `advance(by:)`, or at the end of a trace `play()` for what needs no time. Any thread may call it; managers hear of
    /// it the next time the device plays or advances, even by 0.
    @discardableResult
    public func attach(_ accessory: SimulatedAccessory) -> AccessoryDescription.ID {
        let source = accessories
        let attachment = CodedAttachment(accessory, clock: clock) { [weak source] attachment in
            source?.detach(attachment)
        }
        return source.attach(accessory.description, attachment)
    }

    /// Unplugs an accessory, be it of the trace or one that was attached; nothing when it is gone. What it had sent can
    /// still be read.
    public func detach(_ id: AccessoryDescription.ID) { accessories.detach(id) }

    /// What programs did otherwise than the recorded one in sessions with accessories of the trace, in the order in which
    /// it was noticed; at the end of the trace also what is still missing. At most some hundred; while the device plays
    /// only what was noticed so far.
    public var accessoryDifferences: [AccessoryDifference] {
        guard player.claim() else { return player.accessoryDifferences }
        defer { player.release() }
        return player.accessoryDifferences + (player.nextEvent() == nil ? player.outstandingDifferences : [])
    }
}
