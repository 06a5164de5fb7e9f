// SPDX-License-Identifier: Apache-2.0

// The programs of scripts/endure, which speaks with them in lines:
//
//   endurance app             real managers in one program, under test
//   endurance servers         a gpsd, an iiod and accessories that come and go
//   endurance weeks WEEKS     weeks of readings in virtual time, and the memory that they take

import Foundation

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "app":
    Lines.tellPauses()
    EnduringApp().run()
case "servers":
    Lines.tellPauses()
    NumberedServers().run()
case "weeks": try VirtualWeeks.play(arguments.dropFirst().first.flatMap { Int($0) } ?? 1)
default:
    print("usage: endurance app|servers|weeks WEEKS")
    exit(64)
}
