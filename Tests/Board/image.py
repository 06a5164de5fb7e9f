# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Builds the disks of the virtual board: Debian's root file system and kernel, and a disk with the programs under test."""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
SUITE = "bookworm"
PACKAGES = [
    "linux-image-amd64", "systemd", "systemd-sysv", "udev", "dbus", "kmod", "busybox-static", "libiio0",
    "libiio-utils", "iiod", "libgps28", "gpsd", "gpsd-clients", "python3", "procps", "psmisc", "iproute2", "strace",
    "bluez",
]
MODULE_PACKAGES = ["linux-headers-amd64", "linux-source", "gcc", "make", "xz-utils"]
# Drivers that a board without a screen, disks and radio does not need.
UNUSED = [
    "sound", "drivers/gpu", "drivers/media", "drivers/net/wireless", "drivers/net/ethernet", "drivers/infiniband",
    "drivers/scsi", "drivers/ata", "drivers/md", "drivers/staging", "drivers/isdn", "drivers/mtd", "drivers/hwmon",
    "drivers/video", "fs/xfs", "fs/btrfs", "fs/ocfs2", "fs/ceph", "net/netfilter",
]


class Unavailable(Exception):
    """The board cannot be built on this machine. The text is the reason."""


class Image:
    """A kernel, an initramfs and a root disk, kept in a cache folder."""

    def __init__(self, folder):
        self.kernel = folder / "vmlinuz"
        self.initramfs = folder / "initramfs"
        self.disk = folder / "root.ext4"


def cache():
    """The folder of disks that are kept for later runs."""
    given = os.environ.get("DEVICE_SERVICES_TOOLCHAINS")
    base = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "swift-device-services"
    return base / "board"


def build():
    """Returns the image; builds it first unless one of the same parts is in the cache."""
    require("mmdebstrap", "mke2fs", "cpio")
    folder = cache() / fingerprint()
    image = Image(folder)
    if all(path.exists() for path in (image.kernel, image.initramfs, image.disk)):
        return image
    work = cache() / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    build_modules(work)
    build_root(work)
    folder.mkdir(exist_ok=True)
    for name in ("vmlinuz", "initramfs", "root.ext4"):
        os.replace(work / name, folder / name)
    shutil.rmtree(work)
    for other in cache().iterdir():
        if other.is_dir() and other != folder:
            shutil.rmtree(other)
    return image


def fingerprint():
    """A digest of all that the image is built from."""
    digest = hashlib.sha256(repr((SUITE, PACKAGES, MODULE_PACKAGES, UNUSED)).encode())
    for path in [Path(__file__), HERE / "guest/initramfs", *sorted((HERE / "modules").iterdir())]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def require(*commands):
    missing = [command for command in commands if not shutil.which(command)]
    if missing:
        raise Unavailable(f"{', '.join(missing)} is not installed")


def bootstrap(work, packages, target, hooks):
    """Runs mmdebstrap. Hooks are shell scripts, in which $1 is the root."""
    command = ["mmdebstrap", "--variant=minbase", "--aptopt=APT::Install-Recommends \"false\""]
    command += [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("man", "doc", "locale")]
    command += [f"--include={','.join(packages)}", "--skip=cleanup/reproducible"]
    command += [f"--customize-hook={hook}" for hook in hooks]
    with open(work / "log", "wb") as log:
        status = subprocess.run(command + [SUITE, *target], stdout=log, stderr=log, stdin=subprocess.DEVNULL).returncode
    if status != 0:
        tail = (work / "log").read_text(errors="replace").strip().splitlines()[-5:]
        raise Unavailable("mmdebstrap cannot build the root file system: " + " | ".join(tail))


def build_modules(work):
    """Compiles the kernel modules against the headers of the kernel that the board boots."""
    (work / "modules").mkdir()
    hooks = [
        f"mkdir $1/build && cp {HERE}/modules/* $1/build/",
        'chroot "$1" make -C /build',
        f"cp $1/build/*.ko {work}/modules/",
    ]
    bootstrap(work, MODULE_PACKAGES, ["/dev/null", "--format=null"], hooks)


def build_root(work):
    """Makes the root disk, and an initramfs with the modules that mount it."""
    unused = " ".join(f'"$1"/lib/modules/*/kernel/{name}' for name in UNUSED)
    hooks = [
        f'for folder in "$1"/lib/modules/*; do mkdir "$folder/extra"; cp {work}/modules/*.ko "$folder/extra/"; done',
        f"rm -rf {unused}",
        'for folder in "$1"/lib/modules/*; do chroot "$1" depmod "${folder##*/}"; done',
        'chroot "$1" useradd --create-home tester',
        'echo "127.0.0.1 localhost" >"$1/etc/hosts"',
        f'cp "$1"/boot/vmlinuz-* {work}/vmlinuz && cp "$1/bin/busybox" {work}/busybox',
        f'cp -r "$1"/lib/modules {work}/drivers',
    ]
    bootstrap(work, PACKAGES, [str(work / "root.tar"), "--format=tar"], hooks)
    pack_initramfs(work)
    size = max(1024, (work / "root.tar").stat().st_size * 3 // 2 // 1048576 + 512)
    script = f"""
        set -e
        cd {work} && mkdir root && tar -xpf root.tar -C root --exclude './dev/*' && rm -f root.tar
        truncate -s {size}M root.ext4
        mke2fs -q -t ext4 -O ^has_journal -m 0 -d root root.ext4
    """
    as_root(script)


def as_root(script):
    """Runs a shell script that sees itself as root, so that owners of files are kept."""
    command = ["bash", "-c", script]
    if os.geteuid() != 0:
        require("fakeroot")
        command = ["fakeroot", *command]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def pack_initramfs(work):
    folder = work / "initramfs.d"
    for name in ("bin", "dev", "proc", "sys", "root", "modules"):
        (folder / name).mkdir(parents=True)
    shutil.copy(work / "busybox", folder / "bin/busybox")
    (drivers,) = (work / "drivers").iterdir()
    order = []
    for name in ("virtio_pci", "virtio_blk", "virtio_console", "crc32c_generic", "ext4"):
        for path in dependencies(drivers, name):
            if path not in order:
                order.append(path)
    for number, path in enumerate(order):
        shutil.copy(drivers / path, folder / "modules" / f"{number:02} {Path(path).name}".replace(" ", "-"))
    shutil.copy(HERE / "guest/initramfs", folder / "init")
    for name in ("bin/busybox", "init"):
        (folder / name).chmod(0o755)
    names = "\n".join(str(path.relative_to(folder)) for path in [folder, *sorted(folder.rglob("*"))])
    archive = subprocess.run(
        ["cpio", "--quiet", "-o", "-H", "newc"], cwd=folder, input=names.encode(), stdout=subprocess.PIPE, check=True)
    (work / "initramfs").write_bytes(gzip.compress(archive.stdout, 1))


def dependencies(drivers, name):
    """The paths of a module and of those that it needs, in the order in which they are to be inserted."""
    for line in (drivers / "modules.dep").read_text().splitlines():
        path, _, others = line.partition(":")
        if re.fullmatch(rf"{name.replace('_', '[-_]')}\.ko(\.xz)?", Path(path).name):
            return [*reversed(others.split()), path]
    return []


def pack_payload(tool, target):
    """Makes a disk with the tool, the Swift libraries that it needs, and the programs of the guest."""
    folder = target.with_suffix(".d")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "lib").mkdir(parents=True)
    for path in (HERE / "guest").iterdir():
        if path.is_file():
            shutil.copy(path, folder / path.name)
            (folder / path.name).chmod(0o755)
    shutil.copy(tool, folder / "sensorctl.bin")
    listing = subprocess.run(["ldd", tool], stdout=subprocess.PIPE, text=True, check=True).stdout
    for path in re.findall(r"=> (/\S+)", listing):
        if not path.startswith(("/lib/", "/usr/lib/", "/lib64/")):
            shutil.copy(path, folder / "lib" / Path(path).name)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) // 1048576 + 32
    target.unlink(missing_ok=True)
    as_root(f"truncate -s {size}M {target} && chmod -R go+rX {folder} && mke2fs -q -t ext4 -O ^has_journal -m 0 -d {folder} {target}")
    shutil.rmtree(folder)
