//! Where a bridge gets its daemon from: the user's shared one, started if there is none, or, when
//! that cannot be had, one of its own in this process.

use std::ffi::OsString;
use std::fs::File;
use std::io::Result;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::BufReader;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use super::{Daemons, Link};
use crate::service::Service;
use crate::transport::framing::Reader;
use crate::transport::local::{self, Greeted, Lock, Place, Trouble};
use crate::transport::stdio;
use crate::transport::streams::{Input, Output};

/// Waiting times before the tries for a shared daemon.
const TRIES: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_millis(1000),
    Duration::from_millis(3000),
];
/// A daemon that was started listens within this time.
const START: Duration = Duration::from_secs(10);
/// Others that look and start at the same time are waited for.
const OTHERS: Duration = Duration::from_secs(15);
/// Between two looks for a daemon that starts.
const TICK: Duration = Duration::from_millis(20);
/// A log that is larger when a daemon starts is put aside.
const LOG: u64 = 4 << 20;

/// A daemon for its own process, when no shared one can be had.
pub type Alone = Box<dyn FnMut() -> Result<Arc<Service>> + Send>;

/// The user's shared daemon.
pub struct Shared {
    /// Where it is.
    pub place: Place,
    /// What starts it.
    pub program: PathBuf,
    /// With these arguments.
    pub args: Vec<OsString>,
    /// The folder for its log.
    pub state: Option<PathBuf>,
    /// The client's folder.
    pub cwd: Option<PathBuf>,
    /// Bytes of one message.
    pub limits: stdio::Limits,
    /// Instead of it.
    pub alone: Alone,
    /// What the user should know, once there is one.
    pub warning: Option<String>,
    /// Tries since one of its daemons has answered.
    pub failures: usize,
}

impl Daemons for Shared {
    async fn next(&mut self, well: bool) -> Option<Link> {
        if well {
            self.failures = 0;
        }
        let mut why = "it ends again and again".to_owned();
        while let Some(pause) = TRIES.get(self.failures) {
            sleep(*pause).await;
            self.failures += 1;
            match self.enter().await {
                Ok(Greeted { frames, output, .. }) => {
                    return Some(Link { frames, output, warning: self.warning.take() });
                }
                Err(trouble) => {
                    tracing::info!(%trouble, "no shared daemon yet");
                    why = trouble.to_string();
                    if matches!(trouble, Trouble::Refused(_)) {
                        break;
                    }
                }
            }
        }
        self.alone(&why)
    }
}

impl Shared {
    async fn enter(&self) -> std::result::Result<Greeted, Trouble> {
        let found = match local::look(&self.place).await? {
            Some(found) => found,
            None => self.start().await?,
        };
        local::enter(found, self.cwd.as_deref(), self.limits.message).await
    }

    async fn start(&self) -> std::result::Result<(Input, Output), Trouble> {
        start(&self.place, &self.program, &self.args, self.state.as_deref()).await
    }

    /// A daemon in this process, for this client alone.
    fn alone(&mut self, why: &str) -> Option<Link> {
        let service = (self.alone)().inspect_err(|error| tracing::error!(%error, "no daemon at all")).ok()?;
        let session = service.open_session(true).ok()?;
        self.cwd.iter().for_each(|folder| session.set_workspace(folder.clone()));
        let (near, far) = tokio::io::duplex(64 * 1024);
        let limits = self.limits;
        tokio::spawn(async move {
            let (input, mut output) = tokio::io::split(far);
            let mut input = BufReader::with_capacity(64 * 1024, input);
            let end = stdio::serve(service.clone(), session, &mut input, &mut output, limits).await;
            if let Err(error) = end {
                tracing::debug!(%error, "the conversation ended");
            }
            // The other end sees the end of this one when the engines are gone.
            service.shutdown().await;
        });
        let (input, output) = tokio::io::split(near);
        let input: Input = Box::pin(input);
        let frames = Reader::new(BufReader::with_capacity(64 * 1024, input), limits.message);
        let warning = format!("no shared daemon can be had, so this client has one of its own: {why}");
        Some(Link { frames, output: Box::pin(output), warning: Some(warning) })
    }
}

/// Starts a daemon unless one answers by now, and connects to it. Who comes at the same time waits
/// and finds it.
///
/// # Errors
/// `Refused` when its place must not be used, `NotYet` when it does not come up.
pub async fn start(
    place: &Place,
    program: &Path,
    args: &[OsString],
    state: Option<&Path>,
) -> std::result::Result<(Input, Output), Trouble> {
    let folder = place.prepare()?;
    let _lock = place.lock(Lock::Start, OTHERS).await?;
    if let Some(found) = local::look(place).await? {
        return Ok(found);
    }
    let log = state.and_then(|folder| log_file(folder).ok());
    let at_log = match &log {
        Some((path, _)) => format!("; its log is {}", path.display()),
        None => String::new(),
    };
    let mut child = spawn(folder, program, args, log.map(|(_, file)| file))
        .map_err(|error| Trouble::NotYet(format!("{} cannot be started: {error}", program.display())))?;
    let until = Instant::now() + START;
    while Instant::now() < until {
        sleep(TICK).await;
        if let Some(found) = local::look(place).await? {
            return Ok(found);
        }
        if let Ok(Some(status)) = child.try_wait() {
            return Err(Trouble::NotYet(format!("the daemon ended at once ({status}){at_log}")));
        }
    }
    Err(Trouble::NotYet(format!("the daemon did not listen in time{at_log}")))
}

/// It shall outlive this process, so it leaves our folder and our pipes alone. tokio waits for it
/// if it ends before us.
fn spawn(folder: &Path, program: &Path, args: &[OsString], log: Option<File>) -> Result<Child> {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(log.map_or_else(Stdio::null, Stdio::from));
    command.kill_on_drop(false).spawn()
}

/// Opens the daemon's log; one that has grown large becomes the old one.
fn log_file(folder: &Path) -> Result<(PathBuf, File)> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join("daemon.log");
    if std::fs::metadata(&path).is_ok_and(|found| found.len() > LOG) {
        std::fs::rename(&path, folder.join("daemon.log.old"))?;
    }
    let file = File::options().create(true).append(true).open(&path)?;
    Ok((path, file))
}
