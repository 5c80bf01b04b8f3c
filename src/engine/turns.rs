//! Who has an engine next. Pure: the time is told to it.
//!
//! Clients take turns. Within its turn a client's requests are served, then its analysis runs, until the
//! turn has lasted a slice and somebody else wants the engine. Requests end by themselves, so they need
//! not wait for that: they interrupt the turn of a client that has had the engine for longer, and always
//! one that works on whole games, at which nobody looks.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What one client wants of the engine now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wish {
    /// Whose wish.
    pub(super) client: u64,
    /// It works on whole games.
    pub(super) batch: bool,
    /// It waits for answers to requests.
    pub(super) requests: bool,
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Nobody wants the engine.
    Nobody,
    /// It is this client's, till then unless somebody comes; for ever when nobody else wants the engine.
    Of(u64, Option<Duration>),
}

/// The turns of one engine.
#[derive(Debug)]
pub(super) struct Turns {
    slice: Duration,
    /// Whose turn it is, and since when.
    present: Option<(u64, Duration)>,
    /// How many turns there have been.
    count: u64,
    accounts: BTreeMap<u64, Account>,
    /// Who wanted it when the last turn was given.
    wanting: BTreeSet<u64>,
}

/// What a client has had.
#[derive(Debug, Clone, Copy, Default)]
struct Account {
    /// How long. Only differences count: those who come have had it as long as whoever has had it least.
    used: Duration,
    /// The number of its last turn; 0 for those who come.
    last: u64,
}

impl Turns {
    /// Turns that last so long when others wait.
    pub(super) fn new(slice: Duration) -> Turns {
        let (accounts, wanting) = (BTreeMap::new(), BTreeSet::new());
        Turns { slice, present: None, count: 0, accounts, wanting }
    }

    /// Whose turn it is now.
    pub(super) fn next(&mut self, wishes: &[Wish], now: Duration) -> Turn {
        let wish_of = |client: u64| wishes.iter().find(|wish| wish.client == client);
        let present = self.present.and_then(|(client, since)| Some((wish_of(client)?, since)));
        if present.is_none() {
            self.end_turn(now);
        }
        self.welcome(wishes, now);
        let Some((holder, since)) = present else {
            return match self.first(wishes.iter()) {
                Some(client) => self.begin_turn(client, now, wishes),
                None => Turn::Nobody,
            };
        };
        let over = now.saturating_sub(since) >= self.slice;
        let rivals = wishes.iter().filter(|wish| wish.client != holder.client);
        match self.first(rivals.filter(|wish| over || self.interrupts(wish, holder, now))) {
            Some(rival) => {
                self.end_turn(now);
                self.begin_turn(rival, now, wishes)
            }
            None => self.turn(holder.client, since, wishes),
        }
    }

    /// Those who have come may have been away for long: that gives them no claim to all that time, nor does
    /// going away and coming back make what they have had forgotten. Nobody owes more than a slice.
    fn welcome(&mut self, wishes: &[Wish], now: Duration) {
        let stayed = wishes.iter().filter(|wish| self.wanting.contains(&wish.client));
        let least = stayed.map(|wish| self.used(wish.client, now)).min();
        self.wanting = wishes.iter().map(|wish| wish.client).collect();
        let Some(least) = least else { return };
        for client in &self.wanting {
            let runs = self.present.is_some_and(|(holder, _)| holder == *client);
            let account = self.accounts.entry(*client).or_default();
            if !runs {
                account.used = account.used.clamp(least, least + self.slice);
            }
        }
        let wanting = &self.wanting;
        self.accounts.retain(|client, account| wanting.contains(client) || account.used > least);
    }

    /// Of these the one that has waited longest.
    fn first<'a>(&self, wishes: impl Iterator<Item = &'a Wish>) -> Option<u64> {
        let last = |client: u64| self.accounts.get(&client).map_or(0, |account| account.last);
        wishes.min_by_key(|wish| (last(wish.client), wish.batch, wish.client)).map(|wish| wish.client)
    }

    /// Whether a wish need not wait for the end of a turn.
    fn interrupts(&self, wish: &Wish, holder: &Wish, now: Duration) -> bool {
        match (wish.batch, holder.batch) {
            _ if !wish.requests => false,
            (false, true) => true,
            (true, false) => false,
            _ => self.used(wish.client, now) <= self.used(holder.client, now),
        }
    }

    fn used(&self, client: u64, now: Duration) -> Duration {
        let before = self.accounts.get(&client).map_or(Duration::ZERO, |account| account.used);
        match self.present {
            Some((holder, since)) if holder == client => before + now.saturating_sub(since),
            _ => before,
        }
    }

    fn end_turn(&mut self, now: Duration) {
        if let Some((holder, _)) = self.present {
            let used = self.used(holder, now);
            self.accounts.entry(holder).or_default().used = used;
            self.present = None;
        }
    }

    fn begin_turn(&mut self, client: u64, now: Duration, wishes: &[Wish]) -> Turn {
        self.count += 1;
        self.accounts.entry(client).or_default().last = self.count;
        self.present = Some((client, now));
        self.turn(client, now, wishes)
    }

    fn turn(&self, client: u64, since: Duration, wishes: &[Wish]) -> Turn {
        Turn::Of(client, (wishes.len() > 1).then(|| since + self.slice))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::expect;

    use super::*;

    /// Wishes as `a` (an analysis), `a!` (with requests), `b~` (work on whole games); a table of moments in
    /// tenths of a second, who wants the engine then, and who gets it.
    fn table(moments: &[(u64, &str)]) -> String {
        let mut turns = Turns::new(Duration::from_secs(2));
        let mut out = String::new();
        for (tenths, wishes) in moments {
            let wish = |text: &str| Wish {
                client: u64::from(text.as_bytes()[0]),
                batch: text.contains('~'),
                requests: text.contains('!'),
            };
            let all: Vec<Wish> = wishes.split_whitespace().map(wish).collect();
            let turn = match turns.next(&all, Duration::from_millis(100 * tenths)) {
                Turn::Nobody => "-".to_owned(),
                Turn::Of(client, None) => char::from(client as u8).to_string(),
                Turn::Of(client, Some(until)) => {
                    format!("{} until {}", char::from(client as u8), until.as_millis() / 100)
                }
            };
            writeln!(out, "{tenths:3} {wishes:10} {turn}").unwrap();
        }
        out
    }

    #[test]
    fn one_client_has_it_for_ever() {
        expect![[r#"
               0            -
               5 a          a
             100 a          a
             200 a!         a
             300            -
             400 b~         b
        "#]]
        .assert_eq(&table(&[(0, ""), (5, "a"), (100, "a"), (200, "a!"), (300, ""), (400, "b~")]));
    }

    #[test]
    fn analyses_rotate_in_slices() {
        let all = "a b c";
        expect![[r#"
               0 a          a
             100 a b c      b until 120
             119 a b c      b until 120
             120 a b c      c until 140
             140 a b c      a until 160
             160 a b c      b until 180
             180 a b c      c until 200
             190 a b        a until 210
             210 a b        b until 230
             230 a b        a until 250
        "#]]
        .assert_eq(&table(&[
            (0, "a"),
            (100, all),
            (119, all),
            (120, all),
            (140, all),
            (160, all),
            (180, all),
            (190, "a b"),
            (210, "a b"),
            (230, "a b"),
        ]));
    }

    /// Since 100, when they are taken to be even: at 104 both have had 2, at 115 `a` 3 and `b` 12, at 124
    /// both 12.
    #[test]
    fn requests_interrupt_whoever_has_had_the_engine_for_longer() {
        expect![[r#"
               0 a          a
             100 a b!       b until 120
             101 a b        b until 120
             102 a! b       a until 122
             103 a          a
             104 a b!       b until 124
             113 a b!       b until 124
             114 a          a
             115 a b!       a until 134
             124 a b!       b until 144
        "#]]
        .assert_eq(&table(&[
            (0, "a"),
            (100, "a b!"),
            (101, "a b"),
            (102, "a! b"),
            (103, "a"),
            (104, "a b!"),
            (113, "a b!"),
            (114, "a"),
            (115, "a b!"),
            (124, "a b!"),
        ]));
    }

    #[test]
    fn who_looks_comes_before_work_on_whole_games_but_does_not_starve_it() {
        expect![[r#"
               0 b~!        b
             100 a! b~!     a until 120
             101 a b~!      a until 120
             120 a b~!      b until 140
             125 a! b~!     a until 145
             144 a b~!      a until 145
             145 a b~!      b until 165
             155 a b~!      b until 165
             165 a b~!      a until 185
        "#]]
        .assert_eq(&table(&[
            (0, "b~!"),
            (100, "a! b~!"),
            (101, "a b~!"),
            (120, "a b~!"),
            (125, "a! b~!"),
            (144, "a b~!"),
            (145, "a b~!"),
            (155, "a b~!"),
            (165, "a b~!"),
        ]));
        expect![[r#"
            100 a~ b c     b until 120
            120 a~ b c     c until 140
            140 a~ b c     a until 160
        "#]]
        .assert_eq(&table(&[(100, "a~ b c"), (120, "a~ b c"), (140, "a~ b c")]));
    }

    #[test]
    fn a_long_request_is_paid_back_with_one_slice_at_most() {
        expect![[r#"
               0 a! b       a until 20
             600 a b        b until 620
             620 a b        a until 640
             640 a b        b until 660
        "#]]
        .assert_eq(&table(&[(0, "a! b"), (600, "a b"), (620, "a b"), (640, "a b")]));
    }
}
