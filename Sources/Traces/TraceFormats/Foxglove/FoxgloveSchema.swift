// SPDX-License-Identifier: Apache-2.0

/// JSON Schema descriptions of messages for Foxglove and other MCAP viewers.
///
/// Foxglove knows `foxglove.LocationFix` and `foxglove.FrameTransform` by their names; the schemas here list the
/// members that are written. Foxglove has no schema for readings of inertial sensors, magnetometers and barometers (as
/// of 2026), so this project defines one for vectors and one for scalars. Foxglove can plot and tabulate them like any
/// other schema.
enum FoxgloveSchema {
    static let locationFixName = "foxglove.LocationFix"
    static let frameTransformName = "foxglove.FrameTransform"
    /// The schema of a reading with three axes.
    static let vectorName = "device_services.Vector"
    /// The schema of a scalar reading.
    static let scalarName = "device_services.Scalar"
    /// The schema of a report of gpsd.
    static let gpsdName = "gpsd.Report"
    /// The schema of a line of a trace that is neither a report nor a reading.
    static let eventName = "device_services.Event"

    /// All schemas with their names.
    static let all = [
        (locationFixName, locationFix), (frameTransformName, frameTransform), (vectorName, vector),
        (scalarName, scalar), (gpsdName, gpsd), (eventName, event),
    ]

    private static let time =
        #""timestamp":{"type":"object","title":"time","properties":{"sec":{"type":"integer","minimum":0},"nsec":{"type":"integer","minimum":0,"maximum":999999999}}}"#
    private static let point =
        #"{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}},"required":["x","y","z"]}"#

    static let locationFix =
        #"{"title":"foxglove.LocationFix","type":"object","properties":{\#(time),"frame_id":{"type":"string"},"latitude":{"type":"number"},"longitude":{"type":"number"},"altitude":{"type":"number"},"position_covariance":{"type":"array","items":{"type":"number"},"minItems":9,"maxItems":9},"position_covariance_type":{"title":"foxglove.PositionCovarianceType","oneOf":[{"title":"UNKNOWN","const":0},{"title":"APPROXIMATED","const":1},{"title":"DIAGONAL_KNOWN","const":2},{"title":"KNOWN","const":3}]},"heading":{"type":"number"},"velocity":\#(point)},"required":["timestamp","frame_id","latitude","longitude","altitude","position_covariance","position_covariance_type"]}"#

    static let frameTransform =
        #"{"title":"foxglove.FrameTransform","type":"object","properties":{\#(time),"parent_frame_id":{"type":"string"},"child_frame_id":{"type":"string"},"translation":\#(point),"rotation":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"},"w":{"type":"number"}},"required":["x","y","z","w"]}},"required":["timestamp","parent_frame_id","child_frame_id","translation","rotation"]}"#

    static let vector =
        #"{"title":"device_services.Vector","type":"object","properties":{\#(time),"frame_id":{"type":"string"},"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}},"required":["timestamp","frame_id","x","y","z"]}"#

    static let scalar =
        #"{"title":"device_services.Scalar","type":"object","properties":{\#(time),"frame_id":{"type":"string"},"value":{"type":"number"}},"required":["timestamp","frame_id","value"]}"#

    /// The members of reports that are useful in plots. Reports contain more members.
    static let gpsd: String = {
        let texts = ["class", "device", "time"].map { "\"\($0)\":{\"type\":\"string\"}" }
        let numbers = [
            "mode", "status", "lat", "lon", "altHAE", "altMSL", "speed", "track", "climb", "eph", "epx", "epy", "epv",
            "eps", "epd", "hdop", "vdop", "pdop", "nSat", "uSat", "heading", "pitch", "roll", "yaw",
        ].map { "\"\($0)\":{\"type\":\"number\"}" }
        return
            "{\"title\":\"gpsd.Report\",\"type\":\"object\",\"properties\":{\((texts + numbers).joined(separator: ","))},\"required\":[\"class\"]}"
    }()

    static let event =
        #"{"title":"device_services.Event","type":"object","properties":{"t":{"type":"number"}},"required":["t"]}"#
}
