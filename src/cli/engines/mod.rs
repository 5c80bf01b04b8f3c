//! `kifud engines`: the engines that are configured and found, and whether they work.

mod find;
mod trial;

use std::process::ExitCode;
use std::time::Duration;

use serde::Serialize;

use super::{REFUSED, print};
use crate::engine::profile::Profile;
use crate::engine::{Host, Protocol, Timeouts};
use crate::service::settings::{BUILTIN, EngineSettings, Settings};
use crate::text_table::{Column, Table};
use trial::{Outcome, Trial};

/// The arguments of `kifud engines`.
#[derive(clap::Args)]
pub struct Args {
    /// Only these configured engines.
    names: Vec<String>,
    /// Start each and let it introduce itself: 10 s, renewed by each line it prints, at most 60 s.
    #[arg(long = "try")]
    try_them: bool,
    /// JSON, an engine a line.
    #[arg(long)]
    json: bool,
}

/// An engine that may be tried.
struct Candidate {
    settings: EngineSettings,
    profile: Option<&'static Profile>,
    configured: bool,
}

impl Candidate {
    /// Where it is from.
    fn source(&self) -> &'static str {
        match self.configured {
            true if self.settings == *BUILTIN => "kifud",
            true => "settings",
            false => "found",
        }
    }
}

/// One line of the output.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    /// `settings`, `kifud` for the engine in the box, or `found`.
    source: &'static str,
    path: String,
    /// The command line, secrets masked; for a program that was found, as it would be.
    command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<&'static str>,
    /// What to write into the settings for a program that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_args: Option<Vec<String>>,
    #[serde(flatten)]
    outcome: Option<Outcome>,
}

impl Row {
    fn of(candidate: &Candidate, outcome: Option<Outcome>) -> Row {
        let proposed_args = candidate.profile.filter(|_| !candidate.configured).map(Profile::proposal);
        let mut spec = candidate.settings.spec().unwrap_or_default();
        spec.path = candidate.settings.program().to_owned();
        spec.args = proposed_args.clone().unwrap_or(spec.args);
        Row {
            name: candidate.settings.name.clone(),
            source: candidate.source(),
            path: spec.path.clone(),
            command: spec.command_line(),
            profile: candidate.profile.map(|profile| profile.id),
            proposed_args,
            outcome,
        }
    }
}

pub fn run(settings: Settings, args: &Args) -> ExitCode {
    let candidates = match candidates(&settings, &args.names) {
        Ok(candidates) => candidates,
        Err(code) => return code,
    };
    let rows = match args.try_them {
        true => match try_all(&settings, &candidates) {
            Ok(rows) => rows,
            Err(error) => {
                eprintln!("kifud: cannot start: {error}");
                return ExitCode::from(REFUSED);
            }
        },
        false => candidates.iter().map(|candidate| Row::of(candidate, None)).collect(),
    };
    // What was only found may be for another purpose.
    let failed = |row: &Row| row.outcome.as_ref().is_some_and(|outcome| !outcome.works);
    let failed = rows.iter().any(|row| row.source == "settings" && failed(row));
    let text = match args.json {
        true => rows.iter().filter_map(|row| serde_json::to_string(row).ok()).collect::<Vec<_>>().join("\n"),
        false if args.try_them => trials(&rows),
        false => list(&rows),
    };
    if !text.is_empty() && !print(text.trim_end()) {
        return ExitCode::from(REFUSED);
    }
    if failed { ExitCode::from(REFUSED) } else { ExitCode::SUCCESS }
}

/// The configured engines, then known programs that no configured engine is.
fn candidates(settings: &Settings, names: &[String]) -> Result<Vec<Candidate>, ExitCode> {
    let configured = |engine: &EngineSettings| Candidate {
        settings: engine.clone(),
        profile: engine.profile(),
        configured: true,
    };
    if !names.is_empty() {
        let named = names.iter().map(|name| settings.engine(name).map(configured));
        return named.collect::<Result<_, _>>().map_err(|error| super::complain(&error, REFUSED));
    }
    let mut all: Vec<Candidate> = settings.available().map(configured).collect();
    let known: Vec<_> = all.iter().filter_map(|candidate| find::program(&candidate.settings)).collect();
    let found = find::known_programs().into_iter().filter(|(path, _)| !known.contains(path));
    // A program that speaks two protocols may be wanted for either.
    let found = found.flat_map(|(path, profile)| {
        let other = profile.speaking(Protocol::KatagoJson.name());
        let other = Some(other).filter(|other| *other != profile);
        [Some(profile), other].into_iter().flatten().map(move |profile| (path.clone(), profile))
    });
    all.extend(found.map(|(path, profile)| Candidate {
        settings: EngineSettings {
            name: if profile.id == Protocol::KatagoJson.name() {
                format!("{} ({})", profile.name, profile.id)
            } else {
                profile.name.to_owned()
            },
            path: path.to_string_lossy().into_owned(),
            profile: Some(profile.id.to_owned()),
            ..EngineSettings::default()
        },
        profile: Some(profile),
        configured: false,
    }));
    Ok(all)
}

fn try_all(settings: &Settings, candidates: &[Candidate]) -> std::io::Result<Vec<Row>> {
    let timeouts = Timeouts {
        handshake: Duration::from_secs(10),
        handshake_max: Duration::from_secs(60),
        command: Duration::from_secs(10),
        ..Timeouts::default()
    };
    let runtime = super::runtime()?;
    let host = Host::new(timeouts, std::env::current_exe()?);
    let rows = runtime.block_on(async {
        let mut rows = Vec::new();
        for candidate in candidates {
            // One after the other: two that start at once would slow each other down.
            let trial = Trial { host: &host, settings, engine: &candidate.settings };
            tokio::select! {
                outcome = trial.run() => rows.push(Row::of(candidate, Some(outcome))),
                _ = tokio::signal::ctrl_c() => break,
            }
        }
        host.shutdown_all().await;
        rows
    });
    runtime.shutdown_background();
    Ok(rows)
}

fn list(rows: &[Row]) -> String {
    let columns = [
        Column::left("name"),
        Column::left("from"),
        Column::left("program"),
        Column::left("path and arguments"),
    ];
    let mut table = Table::new(&columns);
    for row in rows {
        table.row(vec![
            row.name.clone(),
            row.source.to_owned(),
            row.profile.unwrap_or("-").to_owned(),
            row.command.clone(),
        ]);
    }
    table.to_string()
}

fn trials(rows: &[Row]) -> String {
    let columns = [
        Column::left("name"),
        Column::left("from"),
        Column::left("works"),
        Column::left("analysis"),
        Column::left("program"),
        Column::right("start"),
        Column::left("what is wrong, and what to do"),
    ];
    let mut table = Table::new(&columns);
    for row in rows {
        let Some(outcome) = &row.outcome else { continue };
        let yes_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        table.row(vec![
            row.name.clone(),
            row.source.to_owned(),
            yes_no(outcome.works),
            outcome.analysis.map_or_else(|| "-".to_owned(), yes_no),
            outcome.program.as_ref().map_or_else(
                || "-".to_owned(),
                |program| {
                    format!("{program} {}", outcome.version.as_deref().unwrap_or_default())
                        .trim_end()
                        .to_owned()
                },
            ),
            outcome.start_ms.map_or_else(String::new, |ms| format!("{:.1} s", ms as f64 / 1000.0)),
            [&outcome.problem, &outcome.mend].into_iter().flatten().cloned().collect::<Vec<_>>().join(": "),
        ]);
    }
    table.to_string()
}
