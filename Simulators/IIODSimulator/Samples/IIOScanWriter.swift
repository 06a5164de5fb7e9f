// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// Encodes a device's scans for the channels that one client has enabled.
struct IIOScanWriter: Sendable {
    private let encoder: IIOScanEncoder
    private let columns: [(channel: Int, column: IIOColumn)]
    private let timestampChannel: Int?
    let timeline: IIOTimeline

    init(
        layout: IIOScanLayout, columns: [(channel: Int, column: IIOColumn)], timestampChannel: Int?,
        timeline: IIOTimeline
    ) {
        encoder = IIOScanEncoder(layout: layout)
        (self.columns, self.timestampChannel, self.timeline) = (columns, timestampChannel, timeline)
    }

    var sampleSize: Int { encoder.layout.sampleSize }

    /// Encodes samples. Each timestamp is `origin` plus the sample time divided by `speed`.
    func write(_ samples: Range<Int64>, origin: Int64, speed: Double, into bytes: UnsafeMutableRawBufferPointer) {
        let size = sampleSize
        guard size > 0, bytes.count / size >= samples.count else { return }
        for (index, sample) in samples.enumerated() {
            let phase = timeline.phase(of: sample) ?? 0
            let scan = UnsafeMutableRawBufferPointer(rebasing: bytes[index * size..<(index + 1) * size])
            for (channel, column) in columns { encoder.write(raw: column.raw(at: phase), of: channel, into: scan) }
            guard let timestampChannel else { continue }
            let offset = timeline.offset(of: sample) ?? 0
            let stamp = origin &+ (speed == 1 ? offset : Int64(Double(offset) / speed))
            encoder.write(raw: stamp, of: timestampChannel, into: scan)
        }
    }
}

/// Converts the signal of one channel to physical and raw values.
struct IIOColumn: Sendable {
    private let signal: IIOSignal
    private let scale: Double
    private let offset: Double

    /// Creates a column. A scale that is nil, 0 or not finite is treated as 1.
    init(_ signal: IIOSignal, scale: Double?, offset: Double?) {
        self.signal = signal
        let factor = scale ?? 1
        self.scale = factor.isFinite && factor != 0 ? factor : 1
        self.offset = offset ?? 0
    }

    /// Returns the physical value at a time within the pass. The time is in nanoseconds.
    func value(at phase: Int64) -> Double {
        switch signal {
        case .constant(let value): return value
        case .held(let times, let vectors, let component):
            guard !times.isEmpty, times.count == vectors.count, (0..<3).contains(component) else { return 0 }
            return vectors[max(times.partitioningIndex { $0 > phase } - 1, 0)][component]
        }
    }

    /// Returns the raw value at a time within the pass, before truncation to the bits of the channel format.
    func raw(at phase: Int64) -> Int64 {
        let number = (value(at: phase) / scale - offset).rounded()
        guard !number.isNaN else { return 0 }
        return number >= 9.2e18 ? .max : number <= -9.2e18 ? .min : Int64(number)
    }
}
