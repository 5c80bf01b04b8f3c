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

/// Room for a few large lines, so that writer and reader of a pipe need not wait for each other.
#[cfg(target_os = "linux")]
const PIPE: usize = 1 << 20;

/// Makes a pipe hold more than the usual 64 KiB. Only a wish: the system may say no.
#[cfg(target_os = "linux")]
pub fn widen_pipe(pipe: impl std::os::fd::AsFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE);
}

/// Makes a pipe hold more, where that is possible; here it is not.
#[cfg(not(target_os = "linux"))]
pub fn widen_pipe<P>(_: P) {}

/// Bytes of memory that this process has in use.
#[cfg(target_os = "linux")]
pub fn rss_bytes() -> u64 {
    // Of the files that tell it, this is the one that costs the system least. Its second number counts pages.
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Option<u64> = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}

/// Bytes of memory that this process has in use; this platform does not tell.
#[cfg(not(target_os = "linux"))]
pub fn rss_bytes() -> u64 {
    0
}

/// The variables of this process's environment, without those that are no text.
pub fn variables() -> impl Iterator<Item = (String, String)> {
    let text = |value: std::ffi::OsString| value.into_string().ok();
    std::env::vars_os().filter_map(move |(name, value)| Some((text(name)?, text(value)?)))
}
