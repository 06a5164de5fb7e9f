// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Synchronization
import Trace

extension SimulatedDevice {
    /// What one step did.
    enum Step {
        /// Something happened.
        case happened
        /// Nothing is left to happen by the limit.
        case reachedLimit
        /// The trace is over.
        case reachedEnd
    }

    /// Lets happen what is next by the limit: a timer, the end of a quiet epoch, or an event of the trace.
    func step(upTo limit: BootTime) -> Step {
        let event = playback.withLock { $0.peek() }
        let timer = clock.nextDeadline ?? .never
        let epoch = hub.nextDeadline
        let next = min(event ?? .never, timer, epoch)
        // At the end of the trace timers only run as far as somebody asked the clock to go.
        if event == nil, limit == .never {
            hub.flush()
            return .reachedEnd
        }
        guard next <= limit, next != .never else {
            return event == nil && limit == .never ? .reachedEnd : .reachedLimit
        }
        if epoch <= next {
            clock.move(to: epoch)
            hub.handOverDue(now: epoch)
        } else if timer <= next {
            clock.runNextTimer(upTo: timer)
        } else {
            clock.move(to: next)
            feed()
        }
        return .happened
    }

    /// Hands the next event of the trace to the device.
    private func feed() {
        let now = clock.now
        guard let event = playback.withLock({ $0.take() }) else { return }
        if hub.wantsLines {
            line(of: event).withUnsafeBytes { hub.post(line: $0, arrival: now) }
        }
        switch event.content {
        case .report(.position(var report)):
            report.arrival = now
            if hub.wantsRawReports { report.raw = line(of: event) }
            hub.post(report)
        case .report(.sky(var sky)):
            sky.arrival = now
            hub.post(sky)
        case .report(.attitude(var attitude)):
            attitude.arrival = now
            hub.post(attitude)
        case .report(.devices(let receivers)): hub.post(receivers: receivers)
        case .report(.device(let receiver)): hub.post(receiver: receiver)
        case .report(.version), .report(.watch), .report(.error), .report(.other), .report(.malformed), .line: break
        case .lost(let error): hub.postLost(error)
        case .regained: hub.postRegained()
        }
    }

    private func line(of event: TraceFeed.Event) -> [UInt8] {
        playback.withLock { $0.file }.bytes.withUnsafeBytes { event.record.line(in: $0) }
    }

    /// Claims the player; false when somebody plays already.
    func begin() -> Bool {
        playback.withLock { playback in
            defer { playback.isPlaying = true }
            return !playback.isPlaying
        }
    }

    /// Releases the player.
    func end() {
        playback.withLock { $0.isPlaying = false }
    }
}
