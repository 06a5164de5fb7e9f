// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SyntheticMotion
import Testing

@Suite("Waypoint lists")
struct WaypointListTests {
    private func read(_ text: String) throws(DeviceError) -> [Waypoint] {
        try WaypointList.read(Array(text.utf8), name: "way.csv")
    }

    @Test("Fields are separated by commas, semicolons, tabs or spaces, and may be empty")
    func forms() throws {
        let text =
            "\u{feff}# a way\r\n48.5, 11.25,520,1.5,60\r\n\n48.6,11.26,,,30\n48.7;11.27;;2\n 48.8 11.28\t530 \n-1e1,+5.5,\n"
        #expect(WaypointList.isWaypointList(Array(text.utf8)))
        let found = try read(text)
        try #require(found.count == 5)
        #expect(found[0] == Waypoint(latitude: 48.5, longitude: 11.25, altitude: 520, speed: 1.5, pause: 60))
        #expect(found[1].altitude.isNaN && found[1].speed.isNaN && found[1].pause == 30)
        #expect(found[2].altitude.isNaN && found[2].speed == 2)
        #expect(found[3].altitude == 530 && found[3].longitude == 11.28)
        #expect(found[4].latitude == -10 && found[4].longitude == 5.5)
    }

    @Test("Column names define another order")
    func names() throws {
        let found = try read("Longitude,LAT,pause\n11,48,5\n12,49\n")
        #expect(found[0].latitude == 48 && found[0].longitude == 11 && found[0].pause == 5)
        #expect(found[1].latitude == 49 && found[1].pause == 0)
        #expect(WaypointList.isWaypointList(Array("lon,lat\n".utf8)))
    }

    @Test(
        "Other formats are not recognized as waypoint lists",
        arguments: [
            "", "# only this", #"{"format":"device-services-trace","version":1}"#, "$GPRMC,1,2", "<gpx>", "48.5",
            "1,2,3,4,5,6",
            "lat,lon,time\n1,2,3", "time,acc_x,acc_y,acc_z\n1,2,3,4", "\u{0}\u{1}", "48,11,x",
        ])
    func others(text: String) {
        #expect(!WaypointList.isWaypointList(Array(text.utf8)))
    }

    @Test(
        "Errors name the line and the problem",
        arguments: [
            ("48,11\n48;x\n", "line 2: \"x\" is not a number"), ("48,11\n\n\n48,nan", "line 4: \"nan\""),
            ("48,0x10", "line 1: \"0x10\""), ("48,inf", "\"inf\""), ("48", "1 fields"), ("1,2,3,4,5,6", "6 fields"),
            ("lat,alt\n", "lack lat or lon"), ("91,0", "degrees"), ("0,361", "degrees"), ("48,1e999", "not a number"),
            ("", "no waypoints"), ("48,11\n\u{0}\u{1}", "line 2"),
        ])
    func errors(text: String, part: String) {
        let found = message { () throws(DeviceError) in _ = try read(text) }
        #expect(found?.contains(part) == true, "\(found ?? "none")")
        #expect(found?.hasPrefix("way.csv") == true)
    }

    @Test("Overlong lines and invalid UTF-8 are rejected")
    func bounds() {
        let long = Array(repeating: UInt8(ascii: "1"), count: 2_000_000)
        #expect(message { () throws(DeviceError) in _ = try WaypointList.read(long, name: "x") } != nil)
        #expect(!WaypointList.isWaypointList(long))
        #expect(message { () throws(DeviceError) in _ = try WaypointList.read([0xff, 0xfe], name: "x") } != nil)
    }
}
