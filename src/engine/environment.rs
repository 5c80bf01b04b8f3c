//! Which variables of a client's environment make a difference to engines. Pure.

use std::collections::BTreeMap;

/// By name.
const NAMES: &str = "PATH HOME TMPDIR LD_LIBRARY_PATH DYLD_LIBRARY_PATH LANG LC_ALL VIRTUAL_ENV CONDA_PREFIX \
    XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME";

/// By how the name begins: graphics cards and their libraries, threads, engines.
const FAMILIES: &str = "CUDA_ NVIDIA_ HIP_ ROCR_ HSA_ GPU_ OCL_ OPENCL_ POCL_ VK_ MKL_ OMP_ GOMP_ KMP_ OPENBLAS_ \
    TF_ XLA_ KATAGO LEELA GNUGO PACHI";

/// The longest value that is passed on, bytes.
const LONGEST: usize = 64 * 1024;

/// Variables by their names.
pub type Environment = BTreeMap<String, String>;

/// Whether a variable makes a difference.
pub fn matters(name: &str) -> bool {
    NAMES.split_whitespace().any(|listed| listed == name)
        || FAMILIES.split_whitespace().any(|family| name.starts_with(family))
}

/// Of these variables the ones that make a difference.
pub fn relevant(all: impl Iterator<Item = (String, String)>) -> Environment {
    all.filter(|(name, value)| matters(name) && value.len() <= LONGEST).collect()
}

/// What makes the environment of a client of ours: variables to set, and variables to leave out.
pub fn differences(ours: &Environment, client: &Environment) -> (Environment, Vec<String>) {
    let differs = |(name, value): &(&String, &String)| ours.get(*name) != Some(*value);
    let set = client.iter().filter(differs).map(|(name, value)| (name.clone(), value.clone()));
    let unset = ours.keys().filter(|name| !client.contains_key(*name));
    (set.collect(), unset.cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(text: &str) -> Environment {
        let pairs = text.split_whitespace().filter_map(|pair| pair.split_once('='));
        relevant(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())))
    }

    #[test]
    fn only_what_makes_a_difference_is_passed_on() {
        let names = |text: &str| environment(text).into_keys().collect::<Vec<_>>().join(" ");
        assert_eq!(names("PATH=a SSH_AUTH_SOCK=b OMP_NUM_THREADS=2 AWS_SECRET=x"), "OMP_NUM_THREADS PATH");
        assert_eq!(names("TERM=xterm DISPLAY=:0 PATHS=c CUDA=d"), "");
    }

    #[test]
    fn a_client_has_an_environment_of_its_own() {
        let of = |ours: &str, client: &str| {
            let (set, unset) = differences(&environment(ours), &environment(client));
            (set.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>(), unset)
        };
        assert_eq!(of("PATH=a HOME=h", "PATH=a HOME=h"), (vec![], vec![]));
        let (set, unset) = of("PATH=a HOME=h", "PATH=b OMP_NUM_THREADS=2");
        assert_eq!((set.join(" "), unset.join(" ")), ("OMP_NUM_THREADS=2 PATH=b".into(), "HOME".into()));
    }
}
