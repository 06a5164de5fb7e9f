// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Writes reports as the sentences of NMEA 0183 that a receiver would have sent.
///
///     for sentence in NMEAEncoder.sentences(position, sky: sky) { port.write(sentence + [13, 10]) }
///
/// Each sentence is whole, from the dollar sign to the checksum, without CR LF. What is not known is an empty field. Units
/// are converted here: knots and km/h, degrees with minutes, standard deviations. One system of satellites gets its own
/// talker (GP, GL, GA, GB, GQ, GI), several get GN, as receivers have it.
public enum NMEAEncoder {
    /// Knots are nautical miles of 1852 m an hour.
    static let knot = 1852.0 / 3600

    /// The sentences of one epoch: GGA, RMC, VTG, GST when errors are known, ZDA, DPT when the depth is known; with a sky
    /// GSA and GSV. Without a fix GGA, RMC and VTG say so.
    ///
    /// Altitudes in GGA are above mean sea level. With the altitude above the ellipsoid alone the field is empty, for the
    /// sentence has none for that.
    public static func sentences(
        _ position: PositionReport, sky: SkyReport? = nil, options: NMEAOptions = .init()
    ) -> [[UInt8]] {
        let view = sky.map { SkyText($0) }
        let epoch = PositionText(position, view, options)
        var sentences = epoch.positions()
        if let view {
            if options.sentences.contains(.gsa) { sentences += view.used(position.mode) }
            if options.sentences.contains(.gsv) { sentences += view.inView() }
        } else if options.sentences.contains(.gsa), position.mode != .unknown {
            sentences += SkyText(SkyReport()).used(position.mode)
        }
        return sentences + epoch.others()
    }

    /// The sentences of a sky by itself: GSV, four satellites each, for each system and signal.
    public static func sentences(_ sky: SkyReport, options: NMEAOptions = .init()) -> [[UInt8]] {
        options.sentences.contains(.gsv) ? SkyText(sky).inView() : []
    }
}
