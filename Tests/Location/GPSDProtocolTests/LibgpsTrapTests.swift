// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Testing

/// Inputs that libgps is known to hang on, to discard or to misread.
@Suite("Inputs that libgps mishandles")
struct LibgpsTrapTests {
    private func devices(_ count: Int) -> String {
        let list = (0..<count).map { "{\"class\":\"DEVICE\",\"path\":\"/dev/ttyUSB\($0)\",\"activated\":0}" }
        return "{\"class\":\"DEVICES\",\"devices\":[\(list.joined(separator: ","))],\"remote\":\"x\"}"
    }

    @Test("Up to 256 receivers of a device list are decoded", arguments: [0, 1, 4, 5, 8, 256, 257, 1000])
    func longDeviceLists(count: Int) {
        let list = GPSDDecoder.decode(devices(count)).devices
        let paths: [String] = (0..<min(count, 256)).map { "/dev/ttyUSB\($0)" }
        #expect(list?.map(\.path) == paths)
        #expect(list?.contains { $0.isActive } == false)
    }

    @Test("Up to 1,024 satellites are decoded", arguments: [0, 140, 141, 150, 200, 1000, 1024, 1025, 3000])
    func manySatellites(count: Int) {
        let list = (0..<count).map {
            "{\"PRN\":\($0 + 1),\"el\":\($0 % 90),\"az\":1.5,\"ss\":40,\"used\":\($0 % 2 == 0)}"
        }
        let text = "{\"class\":\"SKY\",\"satellites\":[\(list.joined(separator: ","))],\"hdop\":1.25}"
        let sky = GPSDDecoder.decode(text).sky
        let numbers: [Int32] = (0..<min(count, 1024)).map { Int32($0 + 1) }
        #expect(sky?.satellites?.map(\.number) == numbers)
        #expect(sky?.hdop == 1.25)
    }

    @Test(
        "A nested value of an unknown key does not affect the members after it",
        arguments: ["{}", "[]", "[[1,{\"lat\":9}],{\"lon\":[9]}]"])
    func nestedUnknownValues(json: String) {
        let position = GPSDDecoder.decode("{\"class\":\"TPV\",\"mode\":3,\"lat\":1,\"new\":\(json),\"lon\":2}").position
        #expect(position?.latitude == 1 && position?.longitude == 2 && position?.mode == .threeDimensional)
    }

    @Test("A long device path does not invalidate the report", arguments: [127, 128, 512, 4096, 4097, 60_000])
    func longPaths(length: Int) {
        let path = String(repeating: "d", count: length)
        let text = "{\"class\":\"TPV\",\"device\":\"\(path)\",\"mode\":3,\"lat\":1,\"lon\":2}"
        let position = GPSDDecoder.decode(text).position
        #expect(position?.hasFix == true && position?.receiver == (length <= 4096 ? path : ""))
        let device = GPSDDecoder.decode("{\"class\":\"DEVICE\",\"path\":\"\(path)\",\"bps\":9600}").device
        #expect(device?.path == (length <= 4096 ? path : "") && device?.bitsPerSecond == 9600)
    }

    @Test("Long keys and strings are skipped")
    func longKeysAndStrings() {
        let long = String(repeating: "k", count: 70_000)
        let text = "{\"class\":\"TPV\",\"\(long)\":\"\(long)\",\"lat\":1}"
        #expect(GPSDDecoder.decode(text).position?.latitude == 1)
    }

    @Test("A class inside a string value is not the report's class")
    func classInsideString() {
        let text = #"{"note":"\"class\":\"SKY\"","class":"TPV","device":"\"class\":\"ATT\"","lat":1}"#
        let position = GPSDDecoder.decode(text).position
        #expect(position?.latitude == 1 && position?.receiver == #""class":"ATT""#)
    }

    @Test("No value of a report is left over in the next report")
    func resetsBetweenReports() {
        var decoder = GPSDDecoder()
        func decode(_ text: String) -> GPSDReport { decoder.decode([UInt8](text.utf8)) }
        _ = decode(
            #"{"class":"TPV","mode":3,"lat":1,"lon":2,"speed":3,"time":"2021-06-16T23:46:05Z","status":2,"leapseconds":18}"#
        )
        _ = decode(#"{"class":"SKY","satellites":[{"PRN":1},{"PRN":2}]}"#)
        _ = decode(#"{"class":"ERROR","message":"x"}"#)
        let empty = decode(#"{"class":"TPV"}"#).position
        #expect(empty?.mode == .unknown && empty?.time == nil && empty?.status == 0 && empty?.leapSeconds == -1)
        #expect(empty?.latitude.isNaN == true && empty?.speed.isNaN == true && empty?.receiver == "")
        #expect(decode(#"{"class":"SKY","hdop":1}"#).sky?.satellites == nil)
        #expect(decode(#"{"class":"SKY","satellites":[]}"#).sky?.satellites == [])
        #expect(decode(#"{"class":"SKY","satellites":null}"#).sky?.satellites == nil)
        #expect(decode(#"{"class":"SKY","nSat":0}"#).sky?.visibleCount == 0)
    }

    @Test("Relative positions are not decoded as velocities")
    func velocities() {
        let position = GPSDDecoder.decode(#"{"class":"TPV","velN":1,"velE":2,"velD":3,"relN":4,"relE":5,"relD":6}"#)
            .position
        #expect(position?.velocityNorth == 1 && position?.velocityEast == 2 && position?.velocityDown == 3)
    }

    @Test("The minimum cycle of a receiver is not decoded as its cycle")
    func cycles() {
        let device = GPSDDecoder.decode(#"{"class":"DEVICE","cycle":1.5,"mincycle":0.25}"#).device
        #expect(device?.cycle == 1.5)
    }

    @Test(
        "An ERROR report with unescaped quotes in its message is decoded",
        arguments: [
            (#"{"class":"ERROR","message":"Can't open "/dev/x" now"}"#, #"Can't open "/dev/x" now"#),
            (#"{"class":"ERROR","message":"bad "{"path":"x"}""}"#, #"bad "{"path":"x"}""#),
            (#" { "class" : "ERROR" , "message" : """ } "#, "\""),
            (#"{"class":"ERROR","message":"a \q "b\n""}"#, "a \\q \"b\n\""),
            (#"{"class":"ERROR","message":"Unrecognized request '?\"X\"'"}"#, #"Unrecognized request '?"X"'"#),
            (#"{"message":"first","class":"ERROR"}"#, "first"), (#"{"class":"ERROR"}"#, ""),
        ]
    )
    func unescapedErrors(text: String, message: String) {
        #expect(GPSDDecoder.decode(text).error == message)
    }

    @Test(
        "Other malformed lines are not decoded as ERROR reports",
        arguments: [
            #"{"class":"ERROR","message":"cut"#, #"{"class":"ERROR","message":"}"#,
            #"{"class":"ERROR","message":}"#,
            #"{"class":"TPV","message":"a"b"}"#, #"{"class":"ERROR","note":"a"b"}"#,
        ]
    )
    func brokenErrors(text: String) {
        #expect(GPSDDecoder.decode(text).malformed != nil)
    }
}
