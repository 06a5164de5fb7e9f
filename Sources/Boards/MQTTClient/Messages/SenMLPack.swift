// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// Encodes motion sensor readings as SenML (RFC 8428), a JSON array of records. The units are m/s2, T and Pa from the
/// SenML registry. Gyroscope records have no unit, because the registry does not contain rad/s.
package enum SenMLPack {
    /// The maximum number of readings per message.
    package static let limit = 64

    /// Returns the messages for a batch of readings. `board` is the prefix of each name, as in `board:accelerometer:x`.
    /// Characters that SenML does not permit are replaced with "_". `clock` is the clock of the readings' timestamps.
    package static func messages(_ batch: MotionBatch, board: String, clock: any DeviceClock) -> [[UInt8]] {
        // The offset from the readings' clock to the wall clock, in nanoseconds.
        let offset = clock.wallTime.nanoseconds.subtractingSaturated(clock.now.nanoseconds)
        return stride(from: 0, to: batch.count, by: limit).compactMap { start in
            message(batch, start..<min(start + limit, batch.count), name: name(board), offset: offset)
        }
    }

    /// Returns a message, or nil if none of the values is finite.
    private static func message(_ batch: MotionBatch, _ range: Range<Int>, name: String, offset: Int64) -> [UInt8]? {
        let (unit, factor) = batch.kind.senMLUnit
        var writer = JSONWriter()
        /// The base time, taken from the first record.
        var base: BootTime?
        writer.array { writer in
            for index in range {
                let (value, time) = (batch.values[index], batch.times[index])
                // A record must have a value, so values that are not finite are skipped.
                for axis in 0..<(batch.kind.isVector ? 3 : 1) where value[axis].isFinite {
                    writer.object { writer in
                        if base == nil {
                            writer.member("bn", "\(name):\(batch.kind.rawValue)\(batch.kind.isVector ? ":" : "")")
                            writer.key("bt")
                            writer.fixed(Double(offset.addingSaturated(time.nanoseconds)) / 1e9, decimals: 6)
                            if let unit { writer.member("bu", unit) }
                        }
                        let start = base ?? time
                        base = start
                        if batch.kind.isVector { writer.member("n", axisNames[axis]) }
                        if time != start {
                            writer.key("t")
                            writer.fixed(time.seconds(since: start), decimals: 6)
                        }
                        writer.member("v", value[axis] * factor)
                    }
                }
            }
        }
        return base == nil ? nil : writer.bytes
    }

    private static let axisNames = ["x", "y", "z"]

    /// Returns a valid SenML name, which begins with a letter or digit.
    private static func name(_ text: String) -> String {
        let name = text.replacingCharacters(exceptAlphanumericsAnd: "-:./_")
        guard let first = name.utf8.first, first != UInt8(ascii: "-"), !":./_".utf8.contains(first) else {
            return "board" + name
        }
        return name
    }
}
