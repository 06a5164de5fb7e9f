// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

struct SimulatedReceiver {
    var description: ReceiverDescription
    var activation: WallTime
    /// False before it has come, and after it has gone.
    var isPresent: Bool
    /// Its last reports as they were sent; nil for those that have not come.
    var lastPosition: [UInt8]?
    var lastSky: [UInt8]?
    var lastNoise: [UInt8]?
    /// The satellites of the current epoch that no sentence has told of.
    var newSky: SkyReport?

    /// True when it has reported anything that ?POLL asks for.
    var hasReported: Bool { lastPosition != nil || lastSky != nil || lastNoise != nil }

    /// It goes or comes: in either case what was known of positions is not known any more.
    mutating func setPresent(_ isPresent: Bool, at time: WallTime) {
        self.isPresent = isPresent
        if isPresent { activation = time }
        (lastPosition, lastSky, lastNoise, newSky) = (nil, nil, nil, nil)
    }

    /// The DEVICE that tells of it.
    var line: [UInt8] {
        guard !isPresent else { return GPSDEncoder.line(description, activation: activation) }
        var gone = ReceiverDescription()
        gone.path = description.path
        gone.isActive = false
        return GPSDEncoder.line(gone, activation: activation)
    }
}

extension ReceiverDescription {
    /// True when gpsd would tell the same of both, but for whether they are active.
    func isSame(as other: ReceiverDescription) -> Bool {
        path == other.path && driver == other.driver && subtype == other.subtype && subtype1 == other.subtype1
            && bitsPerSecond == other.bitsPerSecond
            && (cycle == other.cycle || (cycle.isNaN && other.cycle.isNaN))
    }
}
