// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ArgumentParser
import SimulatedDevice

enum PlaybackSpeed: ExpressibleByArgument, Equatable, CustomStringConvertible {
    case max
    case times(Double)

    init?(argument: String) {
        if argument == "max" {
            self = .max
            return
        }
        guard let factor = Double(argument), factor > 0, factor.isFinite else { return nil }
        self = .times(factor)
    }

    var description: String {
        switch self {
        case .max: "max"
        case .times(let factor): factor == factor.rounded() && factor < 1e9 ? "\(Int(factor))" : "\(factor)"
        }
    }

    static var allValueStrings: [String] { ["max", "NUMBER"] }
}

extension SimulatedDevice {
    /// Plays the trace until it ends or a stop is requested. Errors are ignored, because playback fails only if another
    /// playback is already running, and commands never start two.
    @MainActor func play(_ speed: PlaybackSpeed, until stop: StopRequest) async {
        switch speed {
        case .max:
            // Plays the trace in short segments and checks for a stop request after each one. If asynchronous sequences
            // consume the events, each segment is a single event.
            let consumers = device.playback?.consumerGate
            while stop.reason == nil, play(atMost: consumers?.hasNoConsumers == false ? 1 : 64) {
                if let consumers, !consumers.isIdle { await consumers.waitUntilIdle() }
            }
            if stop.reason == nil { try? await play() }
        case .times(let factor):
            let playing = Task { try? await self.play(speed: factor) }
            stop.onRequest { playing.cancel() }
            await playing.value
        }
    }
}
