//! What the operating system tells of processes.

/// Whether a process of this number exists.
#[cfg(unix)]
pub fn alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| match rustix::process::test_kill_process(pid) {
        Ok(()) => true,
        Err(error) => error == rustix::io::Errno::PERM,
    })
}

/// Whether a process of this number exists; not known on this platform, so it does.
#[cfg(not(unix))]
pub fn alive(_: u32) -> bool {
    true
}

/// Bytes of memory that this process has in use; 0 where the platform does not tell.
pub fn rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes: Option<u64> = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    kibibytes.unwrap_or(0) * 1024
}
