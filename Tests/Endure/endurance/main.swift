// SPDX-License-Identifier: Apache-2.0

// The programs of scripts/endure, which exchange lines with it:
//
//   endurance app             the program under test, with managers of all frameworks
//   endurance servers         a gpsd, an iiod, and accessories that are attached and detached
//   endurance weeks WEEKS     weeks of readings in virtual time, and the memory they use

import Foundation

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "app":
    Lines.reportPauses()
    EnduringApp().run()
case "servers":
    Lines.reportPauses()
    NumberedServers().run()
case "weeks": try VirtualWeeks.play(arguments.dropFirst().first.flatMap { Int($0) } ?? 1)
default:
    print("usage: endurance app|servers|weeks WEEKS")
    exit(64)
}
