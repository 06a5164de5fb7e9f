// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

struct SimulatedReceiver {
    var description: ReceiverDescription
    var activation: WallTime
    var isPresent: Bool
    /// The last reports as they were sent; nil for reports that have not been sent.
    var lastPosition: [UInt8]?
    var lastSky: [UInt8]?
    var lastNoise: [UInt8]?
    /// The satellites of the current epoch, until they have been sent as sentences.
    var newSky: SkyReport?

    /// True if the receiver has sent a report that ?POLL includes.
    var hasReported: Bool { lastPosition != nil || lastSky != nil || lastNoise != nil }

    /// Connects or disconnects the receiver. In both cases, the last reports are discarded.
    mutating func setPresent(_ isPresent: Bool, at time: WallTime) {
        self.isPresent = isPresent
        if isPresent { activation = time }
        (lastPosition, lastSky, lastNoise, newSky) = (nil, nil, nil, nil)
    }

    /// The DEVICE object of the receiver.
    var line: [UInt8] {
        guard !isPresent else { return GPSDEncoder.encode(description, activation: activation) }
        var gone = ReceiverDescription(path: description.path)
        gone.isActive = false
        return GPSDEncoder.encode(gone, activation: activation)
    }
}

extension ReceiverDescription {
    init(path: String) {
        self.init()
        self.path = path
    }

    /// Returns true if the DEVICE objects of both are equal except for the activation.
    func isSame(as other: ReceiverDescription) -> Bool {
        path == other.path && driver == other.driver && subtype == other.subtype && subtype1 == other.subtype1
            && bitsPerSecond == other.bitsPerSecond && (cycle == other.cycle || (cycle.isNaN && other.cycle.isNaN))
    }
}
