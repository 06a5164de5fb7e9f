// SPDX-License-Identifier: Apache-2.0

package import BrokerLink
package import DeviceCore

/// A source of the positions of another board, which publishes them to an MQTT broker as OwnTracks JSON.
///
/// One thread runs while there are subscribers. It reconnects after a loss of the connection.
package final class MQTTSource: PositionSource {
    private let hub: PositionHub

    /// Creates a source that subscribes to the topic of a board; nil if the address is that of a gpsd.
    package init?(
        address: PositionSourceAddress, files: BrokerCredentialFiles, clock: any DeviceClock,
        timing: MQTTSourceTiming = MQTTSourceTiming(), open: @escaping BrokerOpener = Broker.open
    ) {
        guard let broker = address.broker else { return nil }
        let target = BrokerSettings(address: broker, files: files, clientID: nil)
        let thread = SourceThread<PositionHub>(for: "the position source", pause: timing.maximumRetryDelay) {
            hub, wakeUp in
            MQTTSourceLoop(
                target: target, topic: address.topic, clock: clock, timing: timing, open: open, hub: hub, wakeUp: wakeUp
            ).run()
        }
        hub = PositionHub { thread.demandDidChange() }
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

/// The timing of the connection to a broker and of the checks of a board, in seconds.
package struct MQTTSourceTiming: Sendable {
    /// The initial delay before reconnecting. It doubles with each failure.
    package var initialRetryDelay = 0.5
    /// The maximum delay before reconnecting.
    package var maximumRetryDelay = 30.0
    /// The duration after which a connection counts as stable. The delay is reset after a stable connection.
    package var stableDuration = 10.0
    /// The time without a fix after which the position is lost. Boards report less often than receivers.
    package var silenceTimeout = 60.0
    /// The maximum difference between the time of a fix and the current time. Other fixes are not delivered, because
    /// they are outdated or one of the clocks is wrong.
    package var maximumAge = 30.0

    package init() {}
}
