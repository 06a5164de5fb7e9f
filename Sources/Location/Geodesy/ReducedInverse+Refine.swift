// SPDX-License-Identifier: Apache-2.0

/// The second step of the inverse problem: Newton's method for the departure azimuth.
extension ReducedInverse {
    /// A geodesic that starts at the first point and ends at the latitude of the second point.
    private struct Trial {
        /// The longitude at the end of the geodesic minus the longitude of the second point, in radians.
        var longitudeError: Double
        /// The derivative of the longitude at the end with respect to the departure azimuth.
        var slope: Double
        /// The azimuth at the end, and the arcs from the equator crossing to both ends.
        var arrival, first, second: SineCosine
        var arc, epsilon: Double
    }

    /// Adjusts the departure azimuth until the geodesic meets the second point. Uses Newton's method within a bracket,
    /// and bisection as a fallback (Karney 2013, section 4).
    func refine(_ estimate: SineCosine) -> Path {
        let rounding = Double.ulpOfOne
        var departure = estimate
        var low = SineCosine(sine: SineCosine.tiny, cosine: 1)
        var high = SineCosine(sine: SineCosine.tiny, cosine: -1)
        var isPolished = false
        var isBracketClosed = false
        var trial = self.trial(departure)

        // Allows 20 Newton steps, followed by 64 bisections, one for each bit of an azimuth.
        for step in 0..<84 {
            let error = trial.longitudeError
            if isBracketClosed || !(abs(error) >= (isPolished ? 8 : 1) * rounding) { break }
            // The longitude at the end of the geodesic increases with the departure azimuth.
            if error > 0 {
                if departure.cosine * high.sine > high.cosine * departure.sine { high = departure }
            } else {
                if departure.cosine * low.sine < low.cosine * departure.sine { low = departure }
            }
            let correction = -error / trial.slope
            let corrected = departure + SineCosine(radians: correction)
            if step < 20 && trial.slope > 0 && abs(correction) < .pi && corrected.sine > 0 {
                departure = SineCosine(y: corrected.sine, x: corrected.cosine)
                // Convergence is quadratic, so a step that starts from an error this small reaches the rounding limit.
                isPolished = abs(error) <= 16 * rounding
            } else {
                departure = SineCosine(y: (low.sine + high.sine) / 2, x: (low.cosine + high.cosine) / 2)
                isPolished = false
                isBracketClosed =
                    abs(low.sine - departure.sine) + (low.cosine - departure.cosine) < rounding * 0x1p-26
                    || abs(departure.sine - high.sine) + (departure.cosine - high.cosine) < rounding * 0x1p-26
            }
            trial = self.trial(departure)
        }
        let distance = Self.distance(from: trial.first, to: trial.second, arc: trial.arc, epsilon: trial.epsilon)
        return Path(distance: distance, departure: departure, arrival: trial.arrival)
    }

    /// Computes the geodesic with the given departure azimuth (Karney 2013, equations 5, 10 to 12, 38, 45 and 46).
    private func trial(_ azimuth: SineCosine) -> Trial {
        var departure = azimuth
        // A line along the equator has no equator crossing, so it is turned south by a negligible angle.
        if start.sine == 0 && departure.cosine == 0 { departure.cosine = -SineCosine.tiny }
        let circle = GreatCircle(latitude: start.angle, azimuth: departure)
        let node = circle.equatorialAzimuth
        var arrival = SineCosine(sine: departure.sine, cosine: abs(departure.cosine))
        if end.cosine != start.cosine { arrival.sine = node.sine / end.cosine }
        if end.cosine != start.cosine || abs(end.sine) != -start.sine {
            let northward = departure.cosine * start.cosine
            let gain =
                start.cosine < -start.sine
                ? (end.cosine - start.cosine) * (start.cosine + end.cosine)
                : (start.sine - end.sine) * (start.sine + end.sine)
            arrival.cosine = (northward * northward + gain).squareRoot() / end.cosine
        }

        let northward = arrival.cosine * end.cosine
        let second = SineCosine(y: end.sine, x: northward)
        let arc = Self.arc(from: circle.arc, to: second)
        let omega = SineCosine(sine: node.sine * end.sine, cosine: northward) - circle.longitude
        let excess = Self.forward(omega) - longitudeAngle
        let epsilon = circle.epsilon
        let lag = LongitudeSeries(epsilon: epsilon)(from: circle.arc, to: second, arc: arc)
        let error = excess.radians - WGS84.flattening * node.sine * lag
        return Trial(
            longitudeError: error,
            slope: slope(circle: circle, arrival: arrival, second: second, arc: arc, epsilon: epsilon),
            arrival: arrival, first: circle.arc, second: second, arc: arc, epsilon: epsilon)
    }

    /// Returns `dλ12 / dα1` at fixed latitudes (Karney 2013, equations 38 and 46).
    private func slope(
        circle: GreatCircle, arrival: SineCosine, second: SineCosine, arc: Double, epsilon: Double
    ) -> Double {
        let f1 = 1 - WGS84.flattening
        if arrival.cosine == 0 { return -2 * f1 * start.lengthScale / start.sine }
        let first = circle.arc
        let integral = ReducedLengthSeries(epsilon: epsilon)(from: first, to: second, arc: arc)
        let reducedLength =
            end.lengthScale * first.cosine * second.sine - start.lengthScale * first.sine * second.cosine
            - first.cosine * second.cosine * integral
        return f1 * reducedLength / (arrival.cosine * end.cosine)
    }
}
