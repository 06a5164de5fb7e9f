// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SimulatedDevice

extension SimulatedDevice {
    /// Plays to the end, or until it is asked to stop.
    @MainActor func play(_ speed: PlaybackSpeed, until stop: Stop) async {
        switch speed {
        case .max:
            // In steps, so that a signal ends a long trace early.
            while stop.reason == nil, step() {}
            if stop.reason == nil { await play() }
        case .times(let factor):
            let playing = Task { await self.play(speed: factor) }
            stop.whenRequested { playing.cancel() }
            await playing.value
        }
    }
}
