// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Geodesy
import Trace

/// Writes the parts of a GPX file that a plan names as a trace.
struct GPXImporter {
    private let plan: GPXPlan
    private let options: GPXOptions
    private let chunks: FileChunks
    private var writer: GPXPointWriter

    init(_ plan: GPXPlan, _ options: GPXOptions, _ chunks: FileChunks) {
        self.plan = plan
        self.options = options
        self.chunks = chunks
        writer = GPXPointWriter(start: plan.start, needsSorting: plan.needsSorting, options, name: chunks.name)
    }

    /// What somebody should know.
    var remarks: [String] { plan.remarks + writer.remarks }

    /// Writes the header and all points.
    mutating func write(to sink: some TraceSink) throws(DeviceError) {
        try writer.begin(sink)
        var timing = try PathTiming(speed: options.speed)
        for part in plan.parts {
            writer.beginPart()
            try write(part, &timing, to: sink)
        }
        try writer.finish(sink)
    }

    private mutating func write(
        _ part: GPXSurvey.Part, _ timing: inout PathTiming, to sink: some TraceSink
    ) throws(DeviceError) {
        var reader = try GPXReader(chunks, at: part.place)
        do throws(DeviceError) {
            try write(part, &reader, &timing, to: sink)
        } catch {
            // What is wrong with the file was found in the first pass, and is among the remarks.
            guard case .some = plan.failure, error.code == .invalidTrace else { throw error }
        }
    }

    private mutating func write(
        _ part: GPXSurvey.Part, _ reader: inout GPXReader, _ timing: inout PathTiming, to sink: some TraceSink
    ) throws(DeviceError) {
        while let item = try reader.next() {
            switch item {
            case .begin: break
            case .segment: writer.isBroken = true
            case .point(let content):
                guard content == part.content, reader.point.isPlace else { continue }
                if let start = plan.start {
                    guard let time = reader.point.time else { continue }
                    try writer.write(reader.point, at: time.subtractingSaturated(start), to: sink)
                } else {
                    let place = GeodeticCoordinate(
                        latitude: reader.point.latitude, longitude: reader.point.longitude)
                    let isJump = writer.isBroken && writer.last != nil
                    let time =
                        isJump ? timing.jump(to: place, after: 2 * GPXPointWriter.gap) : timing.time(of: place)
                    try writer.write(reader.point, at: time, to: sink)
                }
            case .end(let content):
                if content == part.content { return }
            }
        }
    }
}
