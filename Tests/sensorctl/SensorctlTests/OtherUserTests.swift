// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

extension Tool {
    fileprivate static let asNobody = "setpriv --reuid=65534 --regid=65534 --clear-groups"
    fileprivate static let log = traces + "/gpsd/humminbird-M37.log.chk"

    /// True if the tool can run as another user.
    fileprivate static let runsAsNobody: Bool =
        geteuid() == 0 && (try? shell(asNobody + #" test -x "$0" -a -r "$1""#, [log]))?.status == 0
}

@Suite(
    "Files of other users", .toolIsBuilt, .waiting,
    .enabled(
        if: Tool.runsAsNobody,
        "root cannot run programs as another user here: run as root, install util-linux, and let others read the build folder"
    ))
struct OtherUserTests {
    @Test("A writable file is overwritten in place; root replaces it and keeps its owner, group and mode")
    func written() throws {
        let folder = try TemporaryFolder()
        let line = #"""
            set -e
            cd "$1"
            printf old > out.gpx
            chmod 777 .
            chmod 646 out.gpx
            chown 65533:65532 out.gpx
            stat -c '%i %u %g %a' out.gpx
            \#(Tool.asNobody) "$0" convert "$2" out.gpx --overwrite
            head -c 5 out.gpx; echo; tail -n 1 out.gpx
            stat -c '%i %u %g %a' out.gpx
            former=$(stat -c %i out.gpx)
            cp out.gpx copy
            "$0" convert "$2" out.gpx --overwrite
            cmp out.gpx copy
            stat -c '%u %g %a' out.gpx
            [ "$(stat -c %i out.gpx)" != "$former" ]
            """#
        let result = try Tool.shell(line, [folder.path, Tool.log])
        #expect(result.status == 0, "\(result.notes)")
        let lines = result.lines
        try #require(lines.count == 5, "\(lines)")
        #expect(lines[0].hasSuffix(" 65533 65532 646"))
        #expect(lines[1] == "<?xml" && lines[2] == "</gpx>")
        // The inode, the owner, the group and the mode are unchanged.
        #expect(lines[3] == lines[0])
        #expect(lines[4] == "65533 65532 646")
    }
}
