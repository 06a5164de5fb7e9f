// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What HELP answers.
enum IIODHelp {
    static let text = """
        Commands of this server:

        \tHELP
        \tEXIT
        \tVERSION
        \tPRINT
        \tTIMEOUT <milliseconds>
        \tREAD <device> [DEBUG|BUFFER|INPUT <channel>|OUTPUT <channel>] [<attribute>]
        \tWRITE <device> [DEBUG|BUFFER|INPUT <channel>|OUTPUT <channel>] [<attribute>] <bytes>
        \tGETTRIG <device>
        \tSETTRIG <device> [<trigger>]
        \tSET <device> BUFFERS_COUNT <count>
        \tOPEN <device> <samples> <mask> [CYCLIC]
        \tREADBUF <device> <bytes>
        \tWRITEBUF <device> <bytes>
        \tCLOSE <device>

        """
}
