// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Trace

/// A condition that makes a black box save a trace.
package struct RecordingTrigger: Sendable, Hashable {
    package enum Condition: Sendable, Hashable {
        /// Triggers when the process receives SIGUSR1.
        case signal
        case shake
        /// Triggers when the device has been in free fall for this many seconds.
        case fall(Double)
        /// Triggers when the magnitude of the acceleration, including gravity, exceeds this value, in m/s².
        case impact(Double)
        /// Triggers when the position source is lost, or when this many seconds have passed since the last fix.
        case lostFix(Double)
        /// Triggers when the accessory with this name is unplugged or, if the name is nil, when any accessory is
        /// unplugged.
        case unplugged(String?)
        /// Triggers when the speed rises above this value, in m/s.
        case speedAbove(Double)
        /// Triggers when the speed falls below this value, in m/s.
        case speedBelow(Double)
        /// Triggers when the recording ends.
        case end
    }

    package var condition: Condition
    /// The text from which the trigger was parsed. The text is included in saved traces.
    package var text: String

    package var needsAcceleration: Bool {
        switch condition {
        case .shake, .fall, .impact: true
        case .signal, .lostFix, .unplugged, .speedAbove, .speedBelow, .end: false
        }
    }

    package var needsPosition: Bool {
        switch condition {
        case .lostFix, .speedAbove, .speedBelow: true
        case .signal, .shake, .fall, .impact, .unplugged, .end: false
        }
    }

    package var needsAccessories: Bool { if case .unplugged = condition { true } else { false } }

    /// The maximum magnitude of an accelerometer reading that counts as free fall, in m/s². The limit is 0.3 g because
    /// a falling device may rotate.
    static let fallLimit = 0.3 * standardGravity
    /// Standard gravity in m/s².
    static let standardGravity = 9.80665
}

extension RecordingTrigger {
    /// The events with their values, one per line, for the help text of commands.
    package static let syntax = """
        signal               SIGUSR1 is received (always enabled)
        shake                the device is shaken
        fall, fall>0.3s      the device falls freely for more than 0.2 s or the given time
        impact>4g            the acceleration, including gravity, exceeds the limit (g or m/s2)
        lost-fix, lost-fix>20s  gpsd is lost, or the fix is lost for 5 s or the given time
        unplugged, unplugged=NAME  any accessory, or the named one, is unplugged
        speed>130km/h, speed<5km/h  the speed rises above or falls below the limit (m/s, km/h, mph, kn)
        end                  the recording ends
        """

    package static let names = NameSuggestion.names(inTable: syntax)

    /// Parses an event list such as `impact>4g,lost-fix`.
    package static func list(_ text: String) throws(DeviceError) -> [RecordingTrigger] {
        guard text.utf8.count <= 10_000 else {
            throw DeviceError(.invalidConfiguration, "The list of events is longer than 10000 bytes.")
        }
        var triggers: [RecordingTrigger] = []
        for word in text.split(separator: ",") {
            let trigger = try RecordingTrigger(String(word))
            if !triggers.contains(trigger) { triggers.append(trigger) }
        }
        guard !triggers.isEmpty else {
            throw DeviceError(
                .invalidConfiguration, "The list of events is empty. Events are \(names.joined(separator: ", ")).")
        }
        return triggers
    }

    /// Parses one event such as `speed>130km/h`.
    package init(_ text: String) throws(DeviceError) {
        var word = text.drop { $0 == " " }
        while word.last == " " { word.removeLast() }
        self.text = String(word)
        let end = word.firstIndex { $0 == ">" || $0 == "<" || $0 == "=" } ?? word.endIndex
        let name = word[..<end].lowercased()
        let sign = end < word.endIndex ? word[end] : nil
        let value = end < word.endIndex ? word[word.index(after: end)...] : nil
        func error(_ reason: String) -> DeviceError {
            DeviceError(.invalidConfiguration, "The event \"\(word)\" is invalid: it \(reason).")
        }
        /// Parses a value with one of the given units, and multiplies it by the unit's factor.
        func number(_ units: [(String, Double)], _ example: String) throws(DeviceError) -> Double {
            guard let value else { throw error("needs a value, for example \(example)") }
            // Uses the longest matching unit because, for example, "300ms" also ends with the unit "s".
            let unit = units.filter { value.hasSuffix($0.0) }.max { $0.0.utf8.count < $1.0.utf8.count }
            guard let unit else {
                throw error("needs a value in \(units.map(\.0).joined(separator: ", ")), for example \(example)")
            }
            var digits = value.dropLast(unit.0.count)
            while digits.last == " " { digits.removeLast() }
            guard let number = Double(unsignedDecimal: digits), number > 0, number <= 1e6 else {
                throw error("needs a number above 0 and at most 1000000, for example \(example)")
            }
            return number * unit.1
        }
        func plain(_ condition: Condition) throws(DeviceError) -> Condition {
            guard sign == nil else { throw error("accepts no value") }
            return condition
        }
        /// Returns the duration in seconds, or the default if there is none.
        func seconds(_ defaultSeconds: Double, _ name: String, _ example: String) throws(DeviceError) -> Double {
            guard sign != nil else { return defaultSeconds }
            guard sign == ">" else { throw error("must be written as \(name) or \(example)") }
            guard let value, let seconds = TimeText.seconds(value), seconds > 0, seconds <= 1e6 else {
                throw error("needs a time such as \(TimeText.durationForms), for example \(example)")
            }
            return seconds
        }
        let speeds = [("m/s", 1.0), ("km/h", 1 / 3.6), ("mph", 0.44704), ("kn", 1852 / 3600.0)]
        switch name {
        case "signal", "sigusr1": condition = try plain(.signal)
        case "shake": condition = try plain(.shake)
        case "end": condition = try plain(.end)
        case "fall": condition = .fall(try seconds(0.2, name, "fall>0.3s"))
        case "impact":
            guard sign == ">" else { throw error("needs a threshold, for example impact>4g") }
            condition = .impact(try number([("g", Self.standardGravity), ("m/s2", 1.0)], "impact>4g"))
        case "lost-fix": condition = .lostFix(try seconds(5, name, "lost-fix>20s"))
        case "unplugged":
            guard sign == nil || sign == "=", value?.isEmpty != true else {
                throw error("must be written as unplugged or unplugged=NAME")
            }
            condition = .unplugged(value.map(String.init))
        case "speed":
            switch sign {
            case ">": condition = .speedAbove(try number(speeds, "speed>130km/h"))
            case "<": condition = .speedBelow(try number(speeds, "speed<5km/h"))
            default: throw error("must be written as speed>130km/h or speed<5km/h")
            }
        default:
            var error = error("is not one of \(Self.names.joined(separator: ", "))")
            error.message += NameSuggestion.question(name, among: Self.names)
            throw error
        }
    }
}
