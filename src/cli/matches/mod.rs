//! `kifud match`: two engines play a series of games.

mod series;
mod statistics;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};

use self::series::{Book, Row, distinct, first_is_black, line, openings, tally};
use self::statistics::{Decision, Sprt, Tally, elo};
use super::analyze::{call, dispatch};
use super::{GtpLogArgs, REFUSED, complain, in_session};
use crate::go::{Position, Size};
use crate::service::Service;
use crate::service::error::{Error, Kind, Result};
use crate::service::files::unreplaced;
use crate::service::session::Session;
use crate::service::settings::Settings;
use crate::service::table::Answer;
use crate::sgf::{NewValue, open_record};
use crate::text_table::{Column, Table as TextTable};

#[derive(clap::Args)]
pub struct Args {
    /// The configured engine that is Black in the first game.
    #[arg(long, value_name = "NAME")]
    black: String,
    /// The configured engine that is White in the first game.
    #[arg(long, value_name = "NAME")]
    white: String,
    /// How many games.
    #[arg(long, value_name = "N", default_value_t = 2)]
    games: u32,
    /// Colours stay as they are instead of changing after each game.
    #[arg(long)]
    keep_colors: bool,
    /// The board's size.
    #[arg(long, value_name = "N", default_value_t = 19, value_parser = clap::value_parser!(u8).range(1..=52))]
    size: u8,
    /// Komi in points.
    #[arg(long, value_name = "POINTS", default_value_t = 7.5, allow_negative_numbers = true)]
    komi: f64,
    /// The rules that the referee goes by and the engines are told.
    #[arg(long, value_name = "NAME")]
    rules: Option<String>,
    /// A game is over, and counted, after so many moves.
    #[arg(long, value_name = "N")]
    move_limit: Option<u32>,
    /// Seconds of each side: main time 600, with byoyomi 600+5x30, with Canadian overtime 600+300/25.
    #[arg(long, value_parser = time)]
    time: Option<Value>,
    /// Games begin where the main lines of this file's games end, each twice with the colours changed.
    #[arg(long, value_name = "FILE.sgf")]
    openings: Option<PathBuf>,
    /// Engines that take a seed (set_random_seed) get this number in the first game, the next one in the second …
    #[arg(long, value_name = "N")]
    seed: Option<u32>,
    /// Note every game in this file, and go on from there when it is there already.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Save the records in this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Stop as soon as it is clear whether the first engine is A or B Elo stronger than the second.
    #[arg(long, value_name = "A,B", value_parser = Sprt::parse, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Each game and the sum as a line of JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    gtp_log: GtpLogArgs,
}

pub fn run(settings: Settings, args: &Args) -> ExitCode {
    let work = async |service: &Arc<Service>, session: &Arc<Session>| play_all(service, session, args).await;
    match in_session(settings, &args.gtp_log, work) {
        Ok(Some(Ok(true))) => ExitCode::SUCCESS,
        Ok(Some(Ok(false))) => ExitCode::from(REFUSED),
        Ok(Some(Err(error))) => complain(&error, REFUSED),
        Ok(None) => complain(&Error::new(Kind::Cancelled, "interrupted"), REFUSED),
        Err(code) => code,
    }
}

/// Plays what is left of the series; false when an engine broke the rules or failed.
async fn play_all(service: &Arc<Service>, session: &Arc<Session>, args: &Args) -> Result<bool> {
    let starts = starts(args)?;
    let (mut book, mut rows) = Book::open(args.resume.as_deref(), &description(args))?;
    rows.truncate(args.games as usize);
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder)
            .map_err(|error| Error::new(Kind::NotFound, format!("{}: {error}", folder.display())))?;
    }
    let mut decision = args.sprt.and_then(|sprt| sprt.decision(tally(&rows, args.keep_colors)));
    if (rows.len() as u32) < args.games && decision.is_none() {
        let mut engines = Vec::new();
        for name in [&args.black, &args.white] {
            let attached = call(service, session, "engine/attach", &json!({"name": name})).await?;
            engines.push(attached["engine"].clone());
        }
        while (rows.len() as u32) < args.games && decision.is_none() {
            let index = rows.len() as u32;
            if let Some(seed) = args.seed {
                seed_all(service, session, &engines, u64::from(seed) + u64::from(index)).await?;
            }
            let row = play(service, session, args, &starts, &engines, index).await?;
            book.add(&row)?;
            if args.json {
                print(&serde_json::to_string(&row).unwrap_or_default())?;
            } else {
                let Row { game, black, white, result, by, moves, .. } = &row;
                eprintln!("game {game} of {}: {black} - {white} {result} ({by}, {moves} moves)", args.games);
            }
            rows.push(row);
            decision = args.sprt.and_then(|sprt| sprt.decision(tally(&rows, args.keep_colors)));
        }
    }
    report(args, &rows, decision)?;
    Ok(!rows.iter().any(Row::is_faulty))
}

/// Where the games begin, one after the other, and again from the first.
fn starts(args: &Args) -> Result<Vec<Position>> {
    let mut starts = match (&args.openings, Size::square(args.size)) {
        (Some(path), _) => openings(path)?,
        (None, Some(size)) => vec![Position::new(size)],
        (None, None) => return Err(Error::field("size", "the size is from 1 to 52")),
    };
    for start in &mut starts {
        start.komi = Some(args.komi);
        if args.rules.is_some() {
            start.rules.clone_from(&args.rules);
        }
    }
    Ok(starts)
}

/// What makes two series the same.
fn description(args: &Args) -> Value {
    json!({
        "black": args.black, "white": args.white, "keepColors": args.keep_colors, "size": args.size,
        "komi": args.komi, "rules": args.rules, "moveLimit": args.move_limit, "time": args.time,
        "openings": args.openings, "seed": args.seed,
    })
}

/// Tells the engines where their random numbers begin; those that cannot be told go on as they are.
async fn seed_all(
    service: &Arc<Service>,
    session: &Arc<Session>,
    engines: &[Value],
    seed: u64,
) -> Result<()> {
    for engine in engines {
        let params = json!({"engineId": engine["id"], "command": format!("set_random_seed {seed}")});
        let reply = call(service, session, "engine/send", &params).await?;
        if reply["ok"] != true {
            tracing::warn!("{} takes no seed: {}", engine["name"], reply["text"]);
        }
    }
    Ok(())
}

/// One game; `index` counts from 0.
async fn play(
    service: &Arc<Service>,
    session: &Arc<Session>,
    args: &Args,
    starts: &[Position],
    engines: &[Value],
    index: u32,
) -> Result<Row> {
    let order = if first_is_black(index, args.keep_colors) { [0, 1] } else { [1, 0] };
    let [black, white] = order.map(|player: usize| engines.get(player).cloned().unwrap_or_default());
    let name = |engine: &Value| engine["name"].as_str().unwrap_or_default().to_owned();
    let opening = if args.keep_colors { index } else { index / 2 };
    let start = starts
        .get(opening as usize % starts.len().max(1))
        .ok_or_else(|| Error::new(Kind::Internal, "a series without openings"))?;
    let names = [[NewValue::text(&name(&black))], [NewValue::text(&name(&white))]];
    let round = [NewValue::text(&(index + 1).to_string())];
    let record = open_record(start, &[("PB", &names[0]), ("PW", &names[1]), ("RO", &round)]) + "\n)\n";
    let last = start
        .steps
        .len()
        .saturating_sub(usize::from(matches!(start.steps.first(), Some(crate::go::Step::Setup(_)))));
    let path: Vec<String> = (last > 0).then(|| format!("0*{last}")).into_iter().collect();
    let params = json!({
        "position": {"document": {"text": record}, "node": {"path": path}},
        "black": {"engineId": black["id"]},
        "white": {"engineId": white["id"]},
        "moveLimit": args.move_limit,
        "moveDelayMs": 0,
        "time": args.time,
    });
    let Answer::Stream { subscription, .. } = dispatch(service, session, "game/start", &params).await? else {
        return Err(Error::new(Kind::Internal, "game/start has no stream"));
    };
    let mut end = Value::Null;
    while let Some(event) = subscription.next().await {
        end = serde_json::from_str(event.get()).unwrap_or_default();
    }
    let Some(result) = end["result"].as_str() else {
        let why = end["error"]["message"].as_str().or(end["reason"].as_str()).unwrap_or_default();
        return Err(Error::new(
            Kind::EngineRefused,
            format!("game {} did not come to its end: {why}", index + 1),
        ));
    };
    if let (Some(folder), Some(text)) = (&args.out, end["edit"]["text"].as_str()) {
        save(folder, index + 1, text)?;
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Ok(Row {
        game: index + 1,
        black: name(&black),
        white: name(&white),
        result: result.to_owned(),
        by: text(&end["verdict"]["by"]).unwrap_or_default(),
        moves: end["moves"].as_u64().unwrap_or(0) as u32,
        line: end["edit"]["text"].as_str().map(line).unwrap_or_default(),
        score: text(&end["score"]["by"]),
        why: text(&end["verdict"]["why"]),
    })
}

/// The record of a game, in one step.
fn save(folder: &Path, game: u32, text: &str) -> Result<()> {
    let path = folder.join(format!("{game:04}.sgf"));
    crate::replace::write(&path, text.as_bytes()).map_err(|error| unreplaced(&path, &error))
}

const COLUMNS: [Column; 7] = [
    Column::right("game"),
    Column::left("black"),
    Column::left("white"),
    Column::left("result"),
    Column::left("by"),
    Column::right("moves"),
    Column::left("counted"),
];

/// The table and what it says, or the sum as JSON.
fn report(args: &Args, rows: &[Row], decision: Option<Decision>) -> Result<()> {
    let sum: Tally = tally(rows, args.keep_colors);
    let (low, high) = sum.interval();
    let accepted = decision.map(|decision| if decision == Decision::Accept1 { "B" } else { "A" });
    if args.json {
        return print(
            &json!({
                "games": sum.games(), "distinct": distinct(rows), "wins": sum.wins, "draws": sum.draws, "losses": sum.losses,
                "score": sum.score(), "interval": [low, high],
                "sprt": args.sprt.map(|sprt| json!({"ratio": sprt.ratio(sum), "accepted": accepted})),
            })
            .to_string(),
        );
    }
    let mut table = TextTable::new(&COLUMNS);
    for row in rows {
        let by = match &row.why {
            Some(why) => format!("{} ({why})", row.by),
            None => row.by.clone(),
        };
        let score = row.score.clone().unwrap_or_default();
        let (game, moves) = (row.game.to_string(), row.moves.to_string());
        table.row(vec![game, row.black.clone(), row.white.clone(), row.result.clone(), by, moves, score]);
    }
    let percent = |part: f64| format!("{:.1}", 100.0 * part);
    let mut text = format!(
        "{table}\n{} games, {} distinct\n{} against {}: {} won, {} drawn, {} lost; {} %, 95 % interval {} to {} % ({:+.0} Elo, {:+.0} to {:+.0})",
        rows.len(),
        distinct(rows),
        args.black,
        args.white,
        sum.wins,
        sum.draws,
        sum.losses,
        percent(sum.score()),
        percent(low),
        percent(high),
        elo(sum.score()),
        elo(low),
        elo(high),
    );
    if let Some(sprt) = args.sprt {
        let verdict = match decision {
            Some(Decision::Accept1) => format!("the difference is {} Elo", sprt.elo1),
            Some(Decision::Accept0) => format!("the difference is {} Elo", sprt.elo0),
            None => "not decided".to_owned(),
        };
        text += &format!("\nSPRT {} against {} Elo: {:.2}, {verdict}", sprt.elo0, sprt.elo1, sprt.ratio(sum));
    }
    print(&text)
}

fn print(line: &str) -> Result<()> {
    match super::print(line) {
        true => Ok(()),
        false => Err(Error::new(Kind::Cancelled, "nobody reads stdout")),
    }
}

/// Reads `600`, `600+5x30`, `600+300/25`.
fn time(text: &str) -> std::result::Result<Value, String> {
    let wrong = || format!("{text:?} is no time: give 600, 600+5x30 or 600+300/25");
    let (main, overtime) = match text.split_once('+') {
        Some((main, overtime)) => (main, Some(overtime)),
        None => (text, None),
    };
    let seconds =
        |text: &str| text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    let count = |text: &str| text.parse::<u32>().ok();
    let main = seconds(main).ok_or_else(wrong)?;
    let Some(overtime) = overtime else { return Ok(json!({"main": main})) };
    if let Some((periods, period)) = overtime.split_once('x') {
        let (periods, period) = count(periods).zip(seconds(period)).ok_or_else(wrong)?;
        return Ok(json!({"main": main, "byoyomi": {"seconds": period, "periods": periods}}));
    }
    let (stretch, stones) = overtime.split_once('/').ok_or_else(wrong)?;
    let (stretch, stones) = seconds(stretch).zip(count(stones)).ok_or_else(wrong)?;
    Ok(json!({"main": main, "canadian": {"seconds": stretch, "stones": stones}}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(time("600"), Ok(json!({"main": 600.0})));
        let byoyomi = json!({"main": 600.0, "byoyomi": {"seconds": 30.0, "periods": 5}});
        assert_eq!(time("600+5x30"), Ok(byoyomi));
        let canadian = json!({"main": 0.0, "canadian": {"seconds": 300.0, "stones": 25}});
        assert_eq!(time("0+300/25"), Ok(canadian));
        for bad in ["", "x", "600+", "600+5", "600+5x", "-1", "600+1.5x30", "600+/25"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }
}
