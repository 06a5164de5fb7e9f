// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A subscriber of a motion hub.
final class MotionSubscriber: Sendable {
    let request: MotionRequest
    /// True if the sensor's rate is needed to select the readings to deliver.
    let needsRate: Bool
    let state = SubscriberState()
    private let receive: @Sendable (MotionEvent) -> Void
    private let inputIdle: @Sendable () -> Void
    private let thinner: Mutex<Decimator>

    init(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
        onInputIdle: @escaping @Sendable () -> Void
    ) {
        self.request = request
        needsRate = !request.includesAllReadings && request.decimates && request.interval != 0
        self.receive = receive
        inputIdle = onInputIdle
        thinner = Mutex(Decimator(interval: request.interval))
    }

    /// Delivers the requested readings of a batch if the subscriber receives readings and may be called on this thread.
    ///
    /// - Parameter sensorInterval: The time between two readings of the sensor, in seconds; nil if it is unknown or not
    ///   needed.
    func deliver(_ batch: MotionBatch, sensorInterval: Double?) {
        guard state.isReceiving, DeferredCallbacks.permits(request.executor) else { return }
        if !needsRate {
            receive(.samples(batch))
        } else if let sensorInterval, request.interval <= sensorInterval * 1.02 {
            receive(.samples(batch))
        } else if let thinned = thinner.withLock({ $0.decimate(batch) }) {
            receive(.samples(thinned))
        }
    }

    /// Delivers a change of the status.
    func notify(_ event: MotionEvent) { receive(event) }

    /// Reports that no readings follow for now.
    func reportInputIdle() { if state.isReceiving { inputIdle() } }
}
