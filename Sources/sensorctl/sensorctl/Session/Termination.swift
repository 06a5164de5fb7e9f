// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SystemCalls

/// SIGINT, SIGTERM and SIGHUP as a wish to stop, for as long as the object lives.
final class Termination {
    private static let queue = DispatchQueue(label: "sensorctl.times")
    private let taking: SignalInbox.Taking?

    init(_ stop: Stop) {
        // A hang-up that is ignored is none: so does nohup.
        let ignored = SignalInbox.ignoredAtStart.intersection([SIGHUP])
        taking = SignalInbox.shared?.take([SIGINT, SIGTERM, SIGHUP].filter { !ignored.contains($0) }) { _ in
            stop.request(.signal)
        }
    }

    /// Makes a write to a pipe without a reader fail instead of ending the process.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Wishes to stop after that many seconds; nil for never.
    static func schedule(_ stop: Stop, after seconds: Double?) {
        guard let seconds else { return }
        queue.asyncAfter(deadline: .now() + seconds) { stop.request(.timeIsUp) }
    }
}
