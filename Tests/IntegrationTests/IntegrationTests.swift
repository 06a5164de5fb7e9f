// SPDX-License-Identifier: Apache-2.0

import Testing

/// Tests with installed software, such as Debian's gpsd, and with programs in separate processes.
///
/// Each test has its own ports, folders and processes, so that several tests run in parallel. A test that cannot run in
/// parallel states a reason.
@Suite(.lanes, .timeLimit(.minutes(30)))
enum IntegrationTests {}
