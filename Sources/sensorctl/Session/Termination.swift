// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// SIGINT and SIGTERM as a wish to stop, for as long as the object lives.
final class Termination {
    private static let queue = DispatchQueue(label: "sensorctl.signals")
    private let sources: [any DispatchSourceSignal]

    init(_ stop: Stop) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            // Dispatch sees signals that are ignored; the default would end the process before that.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: Self.queue)
            source.setEventHandler { stop.request(.signal) }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
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
