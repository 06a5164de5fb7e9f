// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Receives the OwnTracks JSON that another board publishes to an MQTT broker, and delivers the positions it contains.
/// While there are subscribers, a thread keeps a connection to the broker open and reconnects if it is lost.
package final class MQTTSource: PositionSource {
    private let hub: PositionHub

    /// Creates a source that subscribes to a board's topic. Returns nil if the address refers to gpsd.
    package init?(
        address: PositionSourceAddress, files: BrokerCredentialFiles, clock: any DeviceClock,
        timing: MQTTSourceTiming = MQTTSourceTiming(), open: @escaping BrokerOpener = Broker.open
    ) {
        guard let broker = address.broker else { return nil }
        let target = BrokerSettings(address: broker, files: files, clientID: nil)
        let thread = SourceThread<PositionHub>(for: "the position source", retryDelay: timing.maximumRetryDelay) {
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
        onBatchComplete: @escaping @Sendable () -> Void
    ) -> Subscription {
        hub.subscribe(request, receive: receive, onBatchComplete: onBatchComplete)
    }

    package var lastFix: PositionFix? { hub.lastFix }
    package var receivers: [ReceiverDescription] { hub.receivers }
}

/// The timing parameters for connecting to the broker and monitoring a board, in seconds.
package struct MQTTSourceTiming: Sendable {
    /// The initial delay before reconnecting, which doubles with each failure.
    package var initialRetryDelay = 0.5
    package var maximumRetryDelay = 30.0
    /// The duration after which a connection is considered stable. A stable connection resets the retry delay.
    package var stableDuration = 10.0
    /// The timeout after which the position is reported as lost if no location arrives. The timeout is long, because
    /// boards report less often than receivers.
    package var silenceTimeout = 60.0
    /// The maximum difference between a new fix's time and the current time. If the difference is larger, the position
    /// is reported as lost, because the fix is outdated or one of the clocks is wrong.
    package var maximumAge = 30.0

    package init() {}
}

/// Runs the source's thread: connects, subscribes, processes messages until the connection ends, waits and reconnects.
final class MQTTSourceLoop {
    private let target: BrokerSettings
    private let topic: String
    private let clock: any DeviceClock
    private let timing: MQTTSourceTiming
    private let open: BrokerOpener
    private let hub: PositionHub
    private let wakeUp: WakeupPipe

    init(
        target: BrokerSettings, topic: String, clock: any DeviceClock, timing: MQTTSourceTiming,
        open: @escaping BrokerOpener, hub: PositionHub, wakeUp: WakeupPipe
    ) {
        (self.target, self.topic, self.clock, self.timing) = (target, topic, clock, timing)
        (self.open, self.hub, self.wakeUp) = (open, hub, wakeUp)
    }

    func run() {
        var backoff = Backoff(first: timing.initialRetryDelay, limit: timing.maximumRetryDelay)
        while hub.hasSubscribers {
            let demand = hub.demand
            var start: BootTime?
            do throws(DeviceError) {
                try serve(connected: &start)
            } catch {
                if let start, clock.now.seconds(since: start) > timing.stableDuration { backoff.reset() }
                hub.setStatus(.unavailable(error))
                pause(seconds: backoff.nextDelay(), demand: demand)
                if hub.demand != demand { backoff.reset() }
            }
        }
    }

    /// Waits before reconnecting. A change to the subscriptions ends the wait, so that new subscribers are not delayed.
    private func pause(seconds: Double, demand: UInt64) {
        let end = clock.now.advanced(bySeconds: seconds)
        while hub.hasSubscribers, hub.demand == demand, clock.now < end {
            _ = wakeUp.wait(for: nil, until: end, clock: clock)
        }
    }

    private func serve(connected: inout BootTime?) throws(DeviceError) {
        let connection = try open(target, wakeUp, clock)
        var subscriber = RemotePositionSubscriber(topic: topic, timing: timing, now: clock.now)
        var demand = hub.demand
        while hub.hasSubscribers {
            let events = try connection.poll(until: min(hub.nextDeadline, subscriber.deadline))
            let now = clock.now
            if hub.demand != demand {
                demand = hub.demand
                subscriber.reset(now: now)
            }
            for event in events {
                switch event {
                case .connected:
                    for topic in [topic, HomeAssistantDiscovery.availability(of: topic)] {
                        try connection.subscribe(to: topic)
                    }
                    connected = now
                    subscriber.reset(now: now)
                case .subscribed(let topic, let isAllowed):
                    // A broker may reject the subscription to the availability topic. This is not an error, because few
                    // boards publish on it.
                    guard isAllowed || topic != self.topic else {
                        throw DeviceError(
                            .permissionDenied,
                            "The broker at \(target.address) does not allow this client to subscribe to \(topic). Allow it in the broker's access control list (acl_file)."
                        )
                    }
                case .message(let topic, let payload, let isRetained):
                    publish(
                        subscriber.process(topic, payload, isRetained: isRetained, now: now, wallTime: clock.wallTime))
                case .delivered: break
                }
            }
            if hub.nextDeadline <= now { hub.deliverDueReports(now: now) }
            if let loss = subscriber.checkSilence(now: now, broker: target.address) {
                hub.setStatus(.unavailable(loss))
            }
        }
        connection.disconnect()
    }

    private func publish(_ update: RemotePositionSubscriber.Update) {
        switch update {
        case .none: break
        case .lastKnown(let report): hub.restart(fixes: [report])
        case .fix(let report, let isFirst):
            if isFirst { hub.setStatus(.available) }
            hub.post(report)
        case .lost(let error): hub.setStatus(.unavailable(error))
        }
    }
}
