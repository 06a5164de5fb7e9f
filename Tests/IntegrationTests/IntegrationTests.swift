// SPDX-License-Identifier: Apache-2.0

import Testing

/// Tests against what is installed: Debian's gpsd, and programs as processes of their own.
///
/// Each has ports, folders and processes of its own, so that some run beside each other. Those that cannot say why.
@Suite(.lanes, .timeLimit(.minutes(30)))
enum IntegrationTests {}
