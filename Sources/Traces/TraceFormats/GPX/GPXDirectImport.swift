// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Writes the tracks of a GPX file while it is looked through for the first time, in the hope that they are in the order
/// of time, as most are. Whether that was right is known at the end only; when it was not, what was written is thrown away.
struct GPXDirectImport {
    private let builder: TraceBuilder
    private let options: GPXOptions
    /// Made with the first time.
    private var writer: GPXPointWriter?
    private var start: Int64 = 0
    private var last = Int64.min
    private var isHopeless: Bool

    init(_ builder: TraceBuilder, _ options: GPXOptions) {
        self.builder = builder
        self.options = options
        isHopeless = options.number != nil || (options.content ?? .tracks) != .tracks
    }

    mutating func beginPart() { writer?.beginPart() }

    mutating func beginSegment() { writer?.isBroken = true }

    /// Takes a point of a track.
    mutating func take(_ point: GPXPoint) {
        guard !isHopeless, let time = point.time else { return }
        guard time >= last else {
            isHopeless = true
            return
        }
        last = time
        do throws(DeviceError) {
            if writer == nil {
                start = time
                let made = GPXPointWriter(start: time, needsSorting: false, options, name: builder.name)
                try made.begin(builder)
                writer = made
            }
            try writer?.write(point, at: time.subtractingSaturated(start), to: builder)
        } catch {
            // It comes again, and is told, when the file is read as usual.
            isHopeless = true
        }
    }

    /// The trace, when it is the one that the plan wants.
    func trace(_ plan: GPXPlan) throws(DeviceError) -> (trace: TraceFile, remarks: [String])? {
        guard !isHopeless, let writer, plan.start == start, !plan.needsSorting else { return nil }
        let numbers = plan.parts.map(\.number)
        guard plan.parts.allSatisfy({ $0.content == .tracks }), numbers == numbers.sorted() else { return nil }
        return (try builder.file(), plan.remarks + writer.remarks)
    }
}
