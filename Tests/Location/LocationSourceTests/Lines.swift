// SPDX-License-Identifier: Apache-2.0

/// Lines as gpsd writes them.
enum Lines {
    /// Returns a fix that is identified by its latitude. Its time is given in tenths of a second.
    static func fix(_ number: Int, tenths: Int? = nil, device: String = "/dev/ttyACM0", more: String = "") -> String {
        let time = tenths.map { tenths in
            let seconds = tenths / 10 % 60
            let minutes = tenths / 600 % 60
            return #""time":"2021-06-16T20:\#(two(minutes)):\#(two(seconds)).\#(tenths % 10)00Z","#
        }
        return
            #"{"class":"TPV","device":"\#(device)","mode":3,\#(time ?? "")"lat":\#(number).000000000,"lon":7.500000000\#(more)}"#
    }

    static func sky(satellites: Int, device: String = "/dev/ttyACM0") -> String {
        let list = (1...max(1, satellites)).prefix(satellites).map {
            #"{"PRN":\#($0),"el":45.0,"az":\#($0).0,"ss":30.0,"used":\#($0 % 2 == 0)}"#
        }
        return #"{"class":"SKY","device":"\#(device)","hdop":0.9,"satellites":[\#(list.joined(separator: ","))]}"#
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Unusual and invalid lines that a server may send between valid ones. A client skips them.
    static let hostile: [[UInt8]] = hostileTexts.map { [UInt8]($0.utf8) } + hostileBytes

    private static let hostileTexts: [String] =
        [
            #"{"class":"ERROR","message":"Can't perform DEVICE configuration, invalid "path" member: "/dev/x""}"#,
            #"{"class":"ERROR","message":"Unrecognized request '?BOGUS'"}"#,
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"lat":nan,"lon":nan}"#,
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"lat":NaN,"lon":1e999}"#,
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"lat":null,"lon":null}"#,
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":"3","lat":"1","lon":"2"}"#,
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":99,"lat":91,"lon":181}"#,
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":-1,"lat":-1e308,"lon":1e-400}"#,
            #"{"class":"TPV","mode":3,"lat":1,"lon":2"#,
            #"{"class":"TPV","mode":3,"lat":1,"lon":2}}"#,
            #"{"class":"TPV","mode":3,"time":"2021-99-99T99:99:99Z","lat":1.5}"#,
            #"{"class":"NEW","nested":{"a":[1,{"b":[2]}]},"lat":1,"lon":2,"mode":3}"#,
            #"{"class":"PPS","real_sec":1,"real_nsec":0,"clock_sec":1,"clock_nsec":2,"precision":-20}"#,
            #"{"class":"TOFF", "real_nsec":0}"#,
            #"{"class":"SKY","satellites":[1,null,"x",{"PRN":"7"},{"PRN":1e99}]}"#,
            #"{"class":"SKY","satellites":{"PRN":1}}"#,
            #"{"class":"ATT","heading":14223.0,"mag_st":"N"}"#,
            #"{"class":"DEVICES","devices":[1,[],{"class":"DEVICE"},{}]}"#,
            #"{"class":"DEVICES","devices":"none"}"#,
            #"{"class":7}"#, #"{"class":null,"mode":3}"#, "{}", "[]", "{", "}", "\"", "0", "", "   ", "\t",
            "$GPGGA,,,,*00",
            "!AIVDM,1,1,,A,0,0*00", #"{"":{}}"#, #"{"class":"TPV","class":"SKY"}"#,
        ]

    private static let hostileBytes: [[UInt8]] =
        [
            Array(repeating: UInt8(ascii: "["), count: 10_000),
            [UInt8](#"{"class":"TPV","x":"#.utf8) + Array(repeating: UInt8(ascii: "{"), count: 10_000),
            [UInt8](#"{"class":"TPV","device":"/dev/"#.utf8) + [0xC3] + [UInt8](#"","mode":1}"#.utf8),
            [UInt8](#"{"class":"TPV","device":""#.utf8) + [0xE2, 0x82],
            (UInt8.min...UInt8.max).filter { $0 != 10 && $0 != 13 },
            [0], [0xFF, 0xFE], Array(repeating: 0, count: 5_000),
            [UInt8](#"{"class":"TPV","mode":3,"lat":1"#.utf8) + [0] + [UInt8](#","lon":2}"#.utf8),
        ]
}
