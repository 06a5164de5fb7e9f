// SPDX-License-Identifier: Apache-2.0

import SystemCalls

// What tests run as a process of its own, by the name of a part. None has an async main: the main thread stays with the
// command, which waits for its input or runs a loop. TestProgramAsyncMain is the other kind.
//
// Each file says what its command takes and answers.

let arguments = Array(CommandLine.arguments.dropFirst(2))
switch CommandLine.arguments.dropFirst().first {
case "stream": StreamCommand.run()
case "callback-places": CallbackPlacesCommand.run(arguments.first)
case "motion": MotionCommand.run(arguments)
case "accessories": AccessoriesCommand.run(arguments)
case "udev": UdevCommand.run(arguments)
case "byte-channels": ByteChannelsCommand.run(arguments)
default: exit(2)
}
