// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// Writes the scans of a device for one client's channels.
struct IIOScanWriter: Sendable {
    private let encoder: IIOScanEncoder
    private let columns: [(channel: Int, column: IIOColumn)]
    private let stampChannel: Int?
    let timeline: IIOTimeline

    var sampleSize: Int { encoder.layout.sampleSize }

    init(layout: IIOScanLayout, columns: [(channel: Int, column: IIOColumn)], stampChannel: Int?, timeline: IIOTimeline)
    {
        encoder = IIOScanEncoder(layout: layout)
        self.columns = columns
        self.stampChannel = stampChannel
        self.timeline = timeline
    }

    /// Writes the values of samples, and leaves out their stamps.
    func writeValues(_ samples: Range<Int64>, into bytes: UnsafeMutableRawBufferPointer) {
        let size = sampleSize
        guard size > 0, bytes.count / size >= samples.count else { return }
        for (place, sample) in samples.enumerated() {
            let phase = timeline.phase(of: sample) ?? 0
            let scan = UnsafeMutableRawBufferPointer(rebasing: bytes[place * size..<(place + 1) * size])
            for (channel, column) in columns { encoder.put(raw: column.raw(at: phase), of: channel, into: scan) }
        }
    }

    /// Writes the stamps of samples: the origin, and the samples' times at that speed.
    func writeStamps(_ samples: Range<Int64>, origin: Int64, speed: Double, into bytes: UnsafeMutableRawBufferPointer) {
        guard let stampChannel else { return }
        let size = sampleSize
        guard size > 0, bytes.count / size >= samples.count else { return }
        for (place, sample) in samples.enumerated() {
            let offset = timeline.offset(of: sample) ?? 0
            let stamp = origin &+ (speed == 1 ? offset : Int64(Double(offset) / speed))
            let scan = UnsafeMutableRawBufferPointer(rebasing: bytes[place * size..<(place + 1) * size])
            encoder.put(raw: stamp, of: stampChannel, into: scan)
        }
    }
}

/// Turns the signal of one channel into raw numbers.
struct IIOColumn: Sendable {
    private let signal: IIOSignal
    private let scale: Double
    private let offset: Double

    /// A column of that signal; a scale of 0 or none counts as 1.
    init(_ signal: IIOSignal, scale: Double?, offset: Double?) {
        self.signal = signal
        let factor = scale ?? 1
        self.scale = factor.isFinite && factor != 0 ? factor : 1
        self.offset = offset ?? 0
    }

    /// The physical value at a time within the pass.
    func value(at phase: Int64) -> Double {
        switch signal {
        case .constant(let value): return value
        case .held(let times, let vectors, let component):
            guard !times.isEmpty, times.count == vectors.count, (0..<3).contains(component) else { return 0 }
            return vectors[max(times.partitioningIndex { $0 > phase } - 1, 0)][component]
        }
    }

    /// The raw number at a time within the pass, before it is cut to the bits of its format.
    func raw(at phase: Int64) -> Int64 {
        let number = (value(at: phase) / scale - offset).rounded()
        guard !number.isNaN else { return 0 }
        return number >= 9.2e18 ? .max : number <= -9.2e18 ? .min : Int64(number)
    }
}
