//! The way from a game's root to a node.

use std::fmt;
use std::str::FromStr;

/// A run of equal steps of a [`Path`]: `times` times from a node to its child number `child`.
///
/// Its text form is the child's number, or `"i*n"` for n times child i.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PathStep {
    /// Which child, 0 = main line.
    pub child: u32,
    /// How often, at least 1.
    pub times: u32,
}

impl fmt::Display for PathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.times {
            1 => write!(f, "{}", self.child),
            times => write!(f, "{}*{times}", self.child),
        }
    }
}

/// The text is not a step of a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a step of a path; write the child's number, or \"0*37\" for 37 times child 0")]
pub struct PathStepError(pub String);

impl FromStr for PathStep {
    type Err = PathStepError;

    fn from_str(text: &str) -> Result<PathStep, PathStepError> {
        let number = |part: &str| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            if digits { part.parse::<u32>().ok() } else { None }
        };
        let step = match text.split_once('*') {
            Some((child, times)) => number(child).zip(number(times)),
            None => number(text).map(|child| (child, 1)),
        };
        match step {
            Some((child, times)) if times > 0 => Ok(PathStep { child, times }),
            _ => Err(PathStepError(text.to_owned())),
        }
    }
}

/// The children taken from a game's root to a node, run by run; the root's path is empty.
/// Neighbouring runs of the same child are always joined, so equal ways are equal values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Path {
    steps: Vec<PathStep>,
}

impl Path {
    /// Goes on `times` times to child number `child`.
    pub fn push(&mut self, child: u32, times: u32) {
        let mut times = times;
        if let Some(last) = self.steps.last_mut()
            && last.child == child
        {
            let joined = last.times.saturating_add(times);
            times -= joined - last.times;
            last.times = joined;
        }
        if times > 0 {
            self.steps.push(PathStep { child, times });
        }
    }

    /// The runs, from the root on.
    pub fn steps(&self) -> &[PathStep] {
        &self.steps
    }

    /// The number of nodes between the root and the node, the node included.
    pub fn depth(&self) -> u64 {
        self.steps.iter().map(|step| u64::from(step.times)).sum()
    }
}

impl FromIterator<PathStep> for Path {
    fn from_iter<I: IntoIterator<Item = PathStep>>(steps: I) -> Path {
        let mut path = Path::default();
        for step in steps {
            path.push(step.child, step.times);
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn steps_by_hand() {
        assert_eq!("3".parse(), Ok(PathStep { child: 3, times: 1 }));
        assert_eq!("0*37".parse(), Ok(PathStep { child: 0, times: 37 }));
        for bad in ["", "*", "1*", "*2", "-1", "+1", "1*0", "1*2*3", " 1", "4294967296", "0*4294967296"] {
            assert_eq!(bad.parse::<PathStep>(), Err(PathStepError(bad.to_owned())));
        }
    }

    proptest! {
        #[test]
        fn steps_print_and_parse(child in any::<u32>(), times in 1..=u32::MAX) {
            let step = PathStep { child, times };
            prop_assert_eq!(step.to_string().parse(), Ok(step));
        }

        #[test]
        fn equal_ways_are_equal_paths(children in prop::collection::vec(0u32..3, 0..30)) {
            let single: Path = children.iter().map(|&child| PathStep { child, times: 1 }).collect();
            let again: Path = single.steps().iter().copied().collect();
            prop_assert_eq!(&single, &again);
            prop_assert_eq!(single.depth(), children.len() as u64);
            prop_assert!(single.steps().windows(2).all(|pair| pair[0].child != pair[1].child));
        }
    }
}
