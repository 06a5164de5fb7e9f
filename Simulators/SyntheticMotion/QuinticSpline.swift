// SPDX-License-Identifier: Apache-2.0

/// The weights of a uniform quintic B-spline (de Boor, A Practical Guide to Splines, chapter X). Each interval of the
/// curve depends on six control points. The curve has four continuous derivatives.
///
/// The spline exactly reproduces straight-line motion at constant speed. It spreads speed changes without overshoot.
enum QuinticSpline {
    /// The weights of the six control points. `values` are the weights for the curve itself, and `firsts` and `seconds`
    /// those for its first and second derivatives with respect to the parameter.
    struct Weights {
        var values: (Double, Double, Double, Double, Double, Double)
        var firsts: (Double, Double, Double, Double, Double, Double)
        var seconds: (Double, Double, Double, Double, Double, Double)
    }

    /// Returns the weights for a point on the curve between the third and fourth control points. `u` runs from 0 to 1.
    static func weights(_ u: Double) -> Weights {
        let v = 1 - u
        func value(_ t: Double) -> (edge: Double, next: Double, middle: Double) {
            let t2 = t * t
            let t3 = t2 * t
            let t4 = t3 * t
            let t5 = t4 * t
            return (
                t5 / 120,
                (1 + 5 * t + 10 * t2 + 10 * t3 + 5 * t4 - 5 * t5) / 120,
                (26 + 50 * t + 20 * t2 - 20 * t3 - 20 * t4 + 10 * t5) / 120
            )
        }
        func first(_ t: Double) -> (edge: Double, next: Double, middle: Double) {
            let t2 = t * t
            let t3 = t2 * t
            let t4 = t3 * t
            return (t4 / 24, (1 + 4 * t + 6 * t2 + 4 * t3 - 5 * t4) / 24, (5 + 4 * t - 6 * t2 - 8 * t3 + 5 * t4) / 12)
        }
        func second(_ t: Double) -> (edge: Double, next: Double, middle: Double) {
            let t2 = t * t
            let t3 = t2 * t
            return (t3 / 6, (1 + 3 * t + 3 * t2 - 5 * t3) / 6, (1 - 3 * t - 6 * t2 + 5 * t3) / 3)
        }
        // By symmetry, the weights of the left points at u are those of the right points at 1 - u.
        let (a, b) = (value(v), value(u))
        let (da, db) = (first(v), first(u))
        let (dda, ddb) = (second(v), second(u))
        return Weights(
            values: (a.edge, a.next, a.middle, b.middle, b.next, b.edge),
            firsts: (-da.edge, -da.next, -da.middle, db.middle, db.next, db.edge),
            seconds: (dda.edge, dda.next, dda.middle, ddb.middle, ddb.next, ddb.edge))
    }

    /// Returns the weighted sum of `d`, which contains the differences between the first control point and each of the
    /// other five. Unlike the points themselves, differences preserve precision far from the origin.
    static func sum<Value: SplineValue>(_ w: (Double, Double, Double, Double, Double, Double), _ d: [Value]) -> Value {
        d[0] * w.1 + d[1] * w.2 + d[2] * w.3 + d[3] * w.4 + d[4] * w.5
    }
}

protocol SplineValue {
    static func + (left: Self, right: Self) -> Self
    static func * (left: Self, right: Double) -> Self
}

extension Double: SplineValue {}
extension SIMD3<Double>: SplineValue {}
