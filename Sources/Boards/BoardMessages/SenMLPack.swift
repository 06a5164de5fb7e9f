// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// Readings of a motion sensor as SenML (RFC 8428), a JSON array of records.
///
/// Units are those of SenML's registry: m/s2, T and Pa. It has none for rad/s, so those of a gyroscope stand without.
package enum SenMLPack {
    /// The most readings in one message.
    package static let limit = 64

    /// Messages with the readings of a batch, each in the axes that the batch has.
    ///
    /// - Parameters:
    ///   - board: stands before each name: `board:accelerometer:x`. What SenML does not allow in names turns into "_".
    ///   - clock: the one that has stamped them.
    package static func messages(_ batch: MotionBatch, board: String, clock: any DeviceClock) -> [[UInt8]] {
        // What the clock of readings and the civil one are apart now.
        let offset = clock.wallTime.nanoseconds.subtractingSaturated(clock.now.nanoseconds)
        return stride(from: 0, to: batch.count, by: limit).compactMap { start in
            message(batch, start..<min(start + limit, batch.count), name: name(board), offset: offset)
        }
    }

    /// Nil when there is no number in it.
    private static func message(_ batch: MotionBatch, _ range: Range<Int>, name: String, offset: Int64) -> [UInt8]? {
        let (unit, factor) = batch.kind.senMLUnit
        var writer = JSONWriter()
        /// The time that the others are told from, once a record has told it.
        var base: BootTime?
        writer.array { writer in
            for index in range {
                let (value, time) = (batch.values[index], batch.times[index])
                // A record has to have a value.
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

    /// A name as SenML allows it: it begins with a letter or a digit.
    private static func name(_ text: String) -> String {
        let name = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar {
                    case "a"..."z", "A"..."Z", "0"..."9", "-", ":", ".", "/", "_": scalar
                    default: "_"
                    }
                }))
        guard let first = name.utf8.first, first != UInt8(ascii: "-"), !":./_".utf8.contains(first) else {
            return "board" + name
        }
        return name
    }
}
