// SPDX-License-Identifier: Apache-2.0

package import BrokerLink
package import DeviceCore

/// Positions of another board, which publishes them at an MQTT broker as OwnTracks' JSON.
///
/// One thread runs while there is a subscriber. It connects again for as long as somebody listens.
package final class MQTTSource: PositionSource {
    private let hub: PositionHub

    /// A source that follows the board of that topic; nil for the address of a gpsd.
    package init?(
        address: PositionSourceAddress, files: BrokerFiles, clock: any DeviceClock,
        timing: MQTTSourceTiming = MQTTSourceTiming(), open: @escaping BrokerOpener = Broker.open
    ) {
        guard let broker = address.broker else { return nil }
        let target = BrokerSettings(address: broker, files: files, clientID: nil)
        let thread = SourceThread<PositionHub>(for: "the position source", pause: timing.lastRetry) { hub, wakeUp in
            MQTTSession(
                target: target, topic: address.topic, clock: clock, timing: timing, open: open, hub: hub, wakeUp: wakeUp
            ).run()
        }
        hub = PositionHub { thread.demandChanged() }
        thread.attach(hub)
    }

    package func subscribe(
        _ request: PositionRequest, receive: @escaping @Sendable (PositionEvent) -> Void,
        settled: @escaping @Sendable () -> Void
    ) -> Subscription {
        hub.subscribe(request, receive: receive, settled: settled)
    }

    package var lastFix: PositionFix? { hub.lastFix }

    package var receivers: [ReceiverDescription] { hub.receivers }
}

/// The times by which a follower judges a board and its broker, in seconds.
package struct MQTTSourceTiming: Sendable {
    /// The pause before the first new attempt to connect; it doubles with each failure...
    package var firstRetry = 0.5
    /// ...up to this one.
    package var lastRetry = 30.0
    /// A broker that let this client in so long ago was a good one: pauses begin anew after it.
    package var steady = 10.0
    /// Without a fix for this long, the position counts as lost. Boards report less often than receivers.
    package var silence = 60.0
    /// A fix whose time is further from now is not handed on: it is not where the board is, or a clock is wrong.
    package var age = 30.0

    package init() {}
}
