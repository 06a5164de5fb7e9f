// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Finds the true intervals of a regular sensor whose time stamps are rounded to hundredths or thousandths of a second.
///
/// Sensors sample evenly, but programs and files often keep few digits: at 95 samples a second and stamps of 10 ms most
/// intervals are 5 % too short, and every twentieth is twice as long. Where so many stamps in a row are those of an even
/// time, the intervals are that time's, which follows the stamps and is never farther from them than they are rounded.
/// Stamps of which samples are lost again and again, or that are irregular, stay as they are.
struct RoundedStamps: Sendable, Equatable {
    private static let window = 128
    /// By what part of the difference the even time follows a stamp, and its pace.
    private static let follow = 0.01
    private static let followOfPace = 3e-5
    /// How much more than a whole number of intervals may have passed, as a part of one, before another one is counted.
    private static let slack = 0.25
    /// How far from a stamp the time may be, as a part of what it is rounded to: a half, and some for what is no more even.
    private static let reach = 0.6
    private static let tolerance = 1e-6
    /// So many stamps of late that are farther from the even time mean that it has been lost.
    private static let mostStrays = 4.0

    /// In a second; zero once stamps were seen that are not round.
    private var stampsPerSecond = 100.0
    /// The stamps so far, in the first window as whole steps from one to the next.
    private var count = 0
    private var steps = InlineArray<128, UInt8>(repeating: 0)
    private var last = 0.0
    private var even = 0.0
    /// Zero before there is one.
    private var period = 0.0
    private var strays = 0.0

    /// The interval that the sample of a stamp ends; nil where it is as told.
    @inline(__always)
    mutating func interval(to stamp: Double) -> Double? { stampsPerSecond == 0 ? nil : evened(stamp) }

    /// The stamps begin anew; whether they are round is still known.
    mutating func restart() { (count, period) = (0, 0) }

    static func == (left: RoundedStamps, right: RoundedStamps) -> Bool {
        left.stampsPerSecond == right.stampsPerSecond && left.count == right.count && left.even == right.even
            && left.period == right.period
    }

    @inline(never)
    private mutating func evened(_ stamp: Double) -> Double? {
        let scaled = stamp * stampsPerSecond
        guard abs(scaled - scaled.rounded()) <= Self.tolerance * stampsPerSecond else {
            stampsPerSecond = stampsPerSecond == 100 ? 1000 : 0
            restart()
            return nil
        }
        guard period > 0 else {
            collect(stamp)
            return nil
        }
        let reach = Self.reach / stampsPerSecond
        // As few as the stamp allows: one that jumps ahead by a digit is no lost sample.
        let passed = max(1, ((stamp - reach - even) / period - Self.slack).rounded(.up))
        let before = even
        even += passed * period
        let error = stamp - even
        strays = 0.95 * strays + (abs(error) > reach ? 1 : 0)
        guard strays < Self.mostStrays else {
            restart()
            return nil
        }
        period += Self.followOfPace * error / passed
        even = min(max(even + Self.follow * error, stamp - reach), stamp + reach)
        return even > before ? even - before : nil
    }

    /// Takes a stamp of the first window, and finds the pace at its end.
    private mutating func collect(_ stamp: Double) {
        steps[count] = count == 0 ? 0 : UInt8(min(((stamp - last) * stampsPerSecond).rounded(), 255))
        last = stamp
        count += 1
        guard count == Self.window else { return }
        count = 0
        // The straight line through the stamps, by least squares.
        let middle = Double(Self.window - 1) / 2
        var (place, sum, products, squares) = (0.0, 0.0, 0.0, 0.0)
        for index in 0..<Self.window {
            place += Double(steps[index])
            let from = Double(index) - middle
            sum += place
            products += from * place
            squares += from * from
        }
        let (mean, pace) = (sum / Double(Self.window), products / squares)
        var (least, most) = (0.0, 0.0)
        place = 0
        for index in 0..<Self.window {
            place += Double(steps[index])
            let rest = place - mean - (Double(index) - middle) * pace
            (least, most) = (min(least, rest), max(most, rest))
        }
        // What is rounded is off by a half on either side.
        guard most - least < 2 * Self.reach, pace > 0 else { return }
        period = pace / stampsPerSecond
        even = stamp - (place - mean - middle * pace) / stampsPerSecond
        strays = 0
    }
}
