//! kifud with a few more methods, for tests of its doors.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kifud::engine::{Host, Timeouts};
use kifud::service::Service;
use kifud::service::error::{Kind, Result};
use kifud::service::methods;
use kifud::service::settings::Settings;
use kifud::service::stream::StreamEvent;
use kifud::service::table::{Access, Output, Table};
use kifud::service::wire::Nothing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How long.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ms {
    ms: u64,
}

/// How many, how large.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Flood {
    n: usize,
    pad: usize,
    /// Events that must all arrive.
    lossless: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct Event {
    state: String,
    i: usize,
    pad: String,
}

impl StreamEvent for Event {
    fn ended(reason: &str) -> Event {
        Event { state: reason.to_owned(), i: 0, pad: String::new() }
    }
}

fn table() -> Table {
    let mut table = methods::table();
    let dropped = Arc::new(AtomicUsize::new(0));
    table.call(
        "probe/echo",
        Access::Session,
        &[],
        "The params.",
        |_, params: Value| async move { Ok(params) },
    );
    let counter = dropped.clone();
    table.call("probe/sleep", Access::Session, &[], "Answers later.", move |_, params: Ms| {
        let guard = Guard(counter.clone());
        async move {
            tokio::time::sleep(Duration::from_millis(params.ms)).await;
            std::mem::forget(guard);
            Ok("slept")
        }
    });
    table.call("probe/busy", Access::Session, &[], "Works without a pause.", |_, params: Ms| async move {
        std::thread::sleep(Duration::from_millis(params.ms));
        Ok("done")
    });
    table.call("probe/block", Access::Session, &[], "Blocks its thread.", |_, params: Ms| async move {
        tokio::task::spawn_blocking(move || std::thread::sleep(Duration::from_millis(params.ms)))
            .await
            .map_err(|_| kifud::service::error::Error::new(Kind::Internal, "blocked for ever"))?;
        Ok("blocked")
    });
    table.call("probe/dropped", Access::Session, &[], "Sleeps that were cancelled.", move |_, _: Nothing| {
        let dropped = dropped.clone();
        async move { Ok(dropped.load(Ordering::SeqCst)) }
    });
    table.call(
        "probe/panic",
        Access::Session,
        &[],
        "Panics.",
        |_, _: Nothing| async move { panics::<Value>() },
    );
    table.call("probe/large", Access::Session, &[], "A large answer.", |_, params: Flood| async move {
        Ok(json!({"pad": "x".repeat(params.pad)}))
    });
    table.stream(
        "probe/flood",
        "probe/event",
        Access::Session,
        &[],
        "Many events.",
        |_, params: Flood, out: Output<Event>| async move {
            Ok(async move {
                for i in 0..params.n {
                    let event = Event { state: "running".to_owned(), i, pad: "x".repeat(params.pad) };
                    if params.lossless.unwrap_or(false) {
                        out.events.room(4).await;
                        out.events.send(event);
                    } else {
                        out.events.latest(event);
                        tokio::task::yield_now().await;
                    }
                }
                Event::ended("finished")
            })
        },
    );
    table.stream(
        "probe/panicStream",
        "probe/event",
        Access::Session,
        &[],
        "Panics in its body.",
        |_, _: Nothing, _: Output<Event>| async move {
            Ok(async move { panics::<Event>().unwrap_or_else(|_| Event::ended("")) })
        },
    );
    table
}

fn panics<T>() -> Result<T> {
    let no_argument: Option<String> = std::env::args().nth(9);
    panic!("boom {no_argument:?}")
}

/// Counts what was dropped before its end.
struct Guard(Arc<AtomicUsize>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// With `PROBE_PATIENCE`, in milliseconds, a daemon on stdio for engines that are disturbed all the time.
fn main() -> ExitCode {
    let patience = std::env::var("PROBE_PATIENCE").ok().and_then(|ms| ms.parse().ok());
    let (Some(patience), 1, Ok(program)) =
        (patience.map(Duration::from_millis), std::env::args().count(), std::env::current_exe())
    else {
        return kifud::cli::with_table(table);
    };
    let timeouts = Timeouts {
        command: patience,
        first_report: patience,
        restart: Duration::from_millis(5),
        ..Timeouts::default()
    };
    kifud::cli::serve::on_stdio(Service::with_table(
        Settings::default(),
        Host::new(timeouts, program),
        table(),
    ))
}
