// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Plotting
import Synchronization

/// Keeps the satellites that receivers tell of, with a fix and without: locations carry them only where there is one.
final class SkyWatch: Sendable {
    private let tracks = Mutex(SkyTracks())
    private let subscription = Mutex<Subscription?>(nil)

    init(_ source: any PositionSource) {
        let new = source.subscribe(PositionRequest()) { [weak self] event in
            guard case .sky(let report) = event, let satellites = report.satellites else { return }
            self?.tracks.withLock { $0.add(satellites) }
        }
        subscription.withLock { $0 = new }
    }

    /// Ends it, and returns what was seen.
    func end() -> SkyTracks {
        subscription.withLock { $0.take() }?.cancel()
        return tracks.withLock { $0 }
    }
}
