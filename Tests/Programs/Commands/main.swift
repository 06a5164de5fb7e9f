// SPDX-License-Identifier: Apache-2.0

import SystemCalls

// Commands that tests run in a separate process, selected by name. None has an async main: the main thread remains with
// the command, which waits for its input or runs a loop. TestProgramAsyncMain is the async counterpart.
//
// Each file documents the input and output of its command.

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
