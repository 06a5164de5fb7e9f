// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BlackBox
import DeviceCore
import Trace

struct BlackBoxOptions: ParsableArguments {
    @Option(
        help: .init(
            "Keep only the most recent data, such as the last 90s, 10m or 1h, and save it when an event specified with --on occurs.",
            valueName: "time"), transform: Seconds.parse)
    var ring: Double?

    @Option(
        help: .init(
            "The events, in addition to SIGUSR1, on which the ring is saved, such as impact>4g. See `sensorctl help events`.",
            valueName: "events"))
    var on: [String] = []

    @Option(
        help: .init("How long to continue recording after an event. The default is 30s.", valueName: "time"),
        transform: Seconds.parse)
    var after: Double?

    @Option(
        help: .init(
            "The maximum size of the ring in bytes. The suffixes K, M and G denote powers of 1024. The default is 64M.",
            valueName: "bytes"))
    var ringSize: ByteCount?

    @Option(
        help:
            "When to flush the ring to disk: each-second (the default), segment (after each eighth of the ring) or never (at the kernel's discretion). With each-second, a power failure loses about two seconds of data. If only the process is killed, at most half a second of data is lost, regardless of this setting."
    )
    var sync: RingSyncPolicy?

    /// The plan for the black box, or nil if --ring is not specified.
    var plan: BlackBoxPlan? {
        get throws {
            guard let ring else {
                guard on.isEmpty, after == nil, ringSize == nil, sync == nil else {
                    throw ValidationError("--on, --after, --ring-size and --sync require --ring, as in --ring 10m.")
                }
                return nil
            }
            var plan = BlackBoxPlan()
            for time in [ring, after ?? 1] where !(1...1e7).contains(time) {
                throw ValidationError("--ring and --after must be from 1 to 10000000 seconds.")
            }
            plan.ring.duration = ring
            plan.box.before = ring
            if let after { plan.box.after = after }
            if let ringSize { plan.ring.size = ringSize.bytes }
            guard plan.ring.size >= 1 << 20 else { throw ValidationError("--ring-size must be at least 1M.") }
            if let sync { plan.ring.sync = sync }
            for list in on { plan.triggers += try ExitStatus.validating { try RecordingTrigger.list(list) } }
            return plan
        }
    }

    func validate() throws { _ = try plan }
}

struct BlackBoxPlan {
    var ring = TraceRing.Options()
    var box = BlackBox.Options()
    var triggers: [RecordingTrigger] = []

    var needsPosition: Bool { triggers.contains(where: \.needsPosition) }
}

/// A number of bytes specified on the command line, such as 65536, 512K, 64M or 1G.
struct ByteCount: ExpressibleByArgument, Equatable {
    let bytes: Int64

    init?(argument: String) {
        let shifts: [UInt8: Int64] = [UInt8(ascii: "k"): 10, UInt8(ascii: "m"): 20, UInt8(ascii: "g"): 30]
        // Setting bit 5 converts an ASCII letter to lower case.
        let shift = argument.utf8.last.flatMap { shifts[$0 | 0x20] }
        let digits = shift == nil ? argument[...] : argument.dropLast()
        guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int64(digits) else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
        guard !overflow, bytes > 0 else { return nil }
        self.bytes = bytes
    }
}
