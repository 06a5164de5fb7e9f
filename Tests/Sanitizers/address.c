// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

// Leaks are not looked for: weak references of Swift are no pointers that the sanitizer could follow. Here and not in the
// environment, for programs under test have one of their own.
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }
