// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What attitudes and headings are measured against.
struct ReferenceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What device motion is measured against: arbitrary, corrected (by the magnetometer), magnetic or true (north); or Core Motion's name.",
            valueName: "frame"))
    var frame = FrameName.arbitrary

    @Option(
        help: ArgumentHelp(
            "The edge whose heading is told: portrait (the top one), portraitUpsideDown, landscapeLeft or landscapeRight.",
            valueName: "orientation"))
    var orientation = EdgeName.portrait
}
